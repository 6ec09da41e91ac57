import { reportTimeZone } from './formats';
import { Html, html, type Content } from './html';
import type { Reader } from './reader';
import { style } from './style';

/** One page that loads nothing: no external script, style sheet, font or picture. */
export function htmlPage(
  { formats, htmlLanguage, say }: Reader,
  page: {
    kicker: string;
    title: string;
    headline: string;
    when?: string;
    /** It contains pictures. */
    hasPictures?: boolean;
    main: Content;
    /** In the footer. */
    about: string;
    /** Epoch milliseconds. */
    writtenAt: number;
  },
): string {
  const at = formats.instant(page.writtenAt);
  const written = say(`Written by diligence on ${at}.`, `Gravado pelo diligence em ${at}.`);
  const zone = say('All times are those of', 'Todos os horários são de');
  const document = html`<!doctype html>
    <html lang="${htmlLanguage}">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'${page.hasPictures === true ? '; img-src data:' : ''}"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${page.kicker}: ${page.title}</title>
        <style>
          ${new Html(style)}
        </style>
      </head>
      <body>
        <main>
          <header>
            <p class="kicker">${page.kicker}</p>
            <h1>${page.title}</h1>
            <p class="headline">${page.headline}</p>
            ${page.when === undefined ? null : html`<p class="kicker">${page.when}</p>`}
          </header>
          ${page.main}
          <footer>
            <p>${page.about}</p>
            <p>${written} ${zone} ${reportTimeZone}.</p>
          </footer>
        </main>
      </body>
    </html>`;
  return `${document.text.trim()}\n`;
}
