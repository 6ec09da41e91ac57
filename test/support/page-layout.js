/** Runs in a browser: text that is cut or stands over other text, and what is wider than the page. */
(() => {
  const problems = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) problems.push('the page scrolls sideways');
  const told = (node) => (node.textContent ?? '').trim().slice(0, 40);
  // Each piece of text as it is drawn, with the block that it stands in.
  const pieces = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const owner = node.parentElement;
    if (owner === null || (node.textContent ?? '').trim() === '') continue;
    if (owner.closest('style, title, desc, details, [aria-hidden=true]') !== null) continue;
    const style = getComputedStyle(owner);
    const head = owner.closest('thead');
    // For who listens alone.
    if (head !== null && getComputedStyle(head).position === 'absolute') continue;
    if (style.visibility === 'hidden') continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width > 1 && box.height > 1) pieces.push({ text: told(node), owner, box });
    }
  }
  for (const { box, owner, text } of pieces) {
    if (box.left < -1 || box.right > width + 1) problems.push(`cut at the edge: ${text}`);
    const cell = owner.closest('td, th, dd, dt, .card, .tile, svg, header, footer');
    const around = cell?.getBoundingClientRect();
    if (around !== undefined && (box.right > around.right + 2 || box.left < around.left - 2)) {
      problems.push(`outside of its ${cell?.tagName.toLowerCase() ?? ''}: ${text}`);
    }
  }
  for (const [at, one] of pieces.entries()) {
    for (const other of pieces.slice(at + 1, at + 400)) {
      const across =
        Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const down =
        Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      // Boxes of lines are higher than their letters.
      const isOver = across > 2 && down > Math.min(one.box.height, other.box.height) * 0.4;
      if (isOver) problems.push(`over each other: ${one.text} | ${other.text}`);
    }
  }
  return [...new Set(problems)].slice(0, 20);
})();
