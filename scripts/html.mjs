/** Text as HTML and SVG have it, in elements and in attributes that stand in double quotes. */
export const escapeHtml = (/** @type {unknown} */ text) =>
  String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
