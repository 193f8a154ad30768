// The list of scenes and labs, with their pictures.

import { LABS, PAGES, SCENES, labAddress } from './gallery.js';

const list = /** @type {HTMLElement} */ (document.getElementById('scenes'));

/**
 * @param {(name: string) => string} addressOf a scene on this page
 * @param {(name: string) => void} choose a scene, without leaving the page
 */
export function buildGallery(addressOf, choose) {
  for (const { name, group, title, text } of SCENES) {
    if (group !== undefined) addHeading(group);
    const link = addLink(addressOf(name), name, title, text);
    link.dataset.scene = name;
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose(name);
    });
  }
  addHeading('Labs');
  for (const { name, title, line } of LABS) addLink(labAddress(name), `lab-${name}`, title, line);
  addHeading('Pages');
  for (const { name, address, title, line } of PAGES) addLink(address, name, title, line);
}

/** @param {string} name */
export function markCurrent(name) {
  for (const link of document.querySelectorAll('#scenes a')) {
    const current = /** @type {HTMLElement} */ (link).dataset.scene === name;
    if (!current) link.removeAttribute('aria-current');
    else {
      link.setAttribute('aria-current', 'true');
      link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }
}

/** @param {string} text */
function addHeading(text) {
  const heading = document.createElement('h2');
  heading.textContent = text;
  list.append(heading);
}

/**
 * @param {string} address
 * @param {string} thumbnail
 * @param {string} title
 * @param {string} text
 */
function addLink(address, thumbnail, title, text) {
  const link = document.createElement('a');
  link.href = address;
  const picture = document.createElement('img');
  picture.src = `thumbnails/${thumbnail}.webp`;
  picture.alt = '';
  picture.width = 320;
  picture.height = 180;
  picture.loading = 'lazy';
  const heading = document.createElement('strong');
  heading.textContent = title;
  const line = document.createElement('span');
  line.textContent = text;
  link.append(picture, heading, line);
  list.append(link);
  return link;
}
