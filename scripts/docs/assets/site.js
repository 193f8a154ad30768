// Menu, colours and search. No modules: pages opened from a folder may not load them.
/* global MiniSearch, cairnSearch */
{
  const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
  const up = document.body.dataset.up ?? '';

  // menu of narrow screens
  const menu = find('menu');
  const setMenu = (/** @type {boolean} */ isOpen) => {
    menu.setAttribute('aria-expanded', String(isOpen));
    document.body.classList.toggle('menu-open', isOpen);
  };
  menu.addEventListener('click', () => setMenu(menu.getAttribute('aria-expanded') !== 'true'));

  // the present page in a long list
  const here = document.querySelector('#sidebar [aria-current]');
  const side = find('sidebar');
  if (here instanceof HTMLElement) side.scrollTop = here.offsetTop - side.clientHeight / 2;

  // colours
  find('theme').addEventListener('click', () => {
    const { dataset } = document.documentElement;
    dataset.theme = dataset.theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('cairn-docs-theme', dataset.theme);
    } catch {
      // storage is switched off: the choice lasts as long as the page
    }
  });

  // search
  const field = /** @type {HTMLInputElement} */ (find('search'));
  const results = find('results');
  /** @type {any} */
  let index = null;

  const openIndex = () => (index ??= MiniSearch.loadJSON(cairnSearch.index, cairnSearch.options));

  const show = () => {
    const query = field.value.trim();
    results.hidden = query === '';
    if (query === '') return;
    const hits = openIndex()
      .search(query, { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { heading: 4, page: 2 } })
      .slice(0, 12);
    const items = hits.map((/** @type {any} */ hit) => {
      const link = document.createElement('a');
      link.href = up + hit.href;
      const title = document.createElement('b');
      title.textContent = hit.heading;
      const place = document.createElement('small');
      place.textContent = hit.heading === hit.page ? hit.excerpt : `${hit.page} · ${hit.excerpt}`;
      link.append(title, place);
      return link;
    });
    if (items.length > 0) results.replaceChildren(...items);
    else results.textContent = 'Nothing found.';
  };

  field.addEventListener('input', show);
  field.addEventListener('focus', show);
  find('search')
    .closest('form')
    ?.addEventListener('submit', (event) => {
      event.preventDefault();
      results.querySelector('a')?.click();
    });
  document.addEventListener('click', (event) => {
    if (!(/** @type {HTMLElement} */ (event.target).closest('.search'))) results.hidden = true;
  });
  document.addEventListener('keydown', (event) => {
    const links = [...results.querySelectorAll('a')];
    const place = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    if (event.key === 'Escape') {
      results.hidden = true;
      setMenu(false);
    } else if (
      event.key === '/' &&
      !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')
    ) {
      event.preventDefault();
      field.focus();
    } else if (
      event.key === 'ArrowDown' &&
      !results.hidden &&
      (place >= 0 || document.activeElement === field)
    ) {
      event.preventDefault();
      links[Math.min(place + 1, links.length - 1)]?.focus();
    } else if (event.key === 'ArrowUp' && place >= 0) {
      event.preventDefault();
      (links[place - 1] ?? field).focus();
    }
  });
}
