// Runs before anything is drawn: the colours that a reader chose, else those of the system.
{
  let theme = null;
  try {
    theme = localStorage.getItem('cairn-docs-theme');
  } catch {
    // storage is switched off: the system's colours
  }
  const isDark = theme === null ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}
