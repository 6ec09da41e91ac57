import { Html, html } from './html';
import { style } from './style';

/**
 * One page that loads nothing: no external script, style sheet, font or picture.
 *
 * @param language of its texts, as in `<html lang>`
 * @param ownStyle CSS in addition to the common style
 */
export function htmlPage(page: {
  language: string;
  title: string;
  ownStyle?: string;
  /** It contains pictures. */
  hasPictures?: boolean;
  main: Html;
}): string {
  const document = html`<!doctype html>
    <html lang="${page.language}">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'${page.hasPictures === true ? '; img-src data:' : ''}"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${page.title}</title>
        <style>
          ${new Html(style + (page.ownStyle ?? ''))}
        </style>
      </head>
      <body>
        <main>${page.main}</main>
      </body>
    </html>`;
  return `${document.text.trim()}\n`;
}
