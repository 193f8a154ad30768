import { chromium } from 'playwright-core';
import { serve } from './demo/server.mjs';
import { CHROMIUM_ARGUMENTS, findChromium } from './scripts/chromium.mjs';
const server = await serve({ root: process.cwd() });
const browser = await chromium.launch({ executablePath: findChromium(), headless: true, args: CHROMIUM_ARGUMENTS });
const page = await (await browser.newContext({ viewport: { width: 640, height: 420 } })).newPage();
page.on('pageerror', (e) => console.log('pageerror', String(e)));
page.on('console', (m) => console.log(m.type(), m.text()));
await page.addInitScript(() => { const set=setInterval; globalThis.ts=[]; globalThis.setInterval=(f,p)=>{ const t=[]; ts.push(t); return set(()=>{const b=performance.now(); f(); t.push(performance.now()-b);},p); }; let n=0; const c=()=>{++n; globalThis.fr=n; requestAnimationFrame(c);}; requestAnimationFrame(c); });
await page.goto(`${server.url}demo/three/instancing.html?count=${process.argv[2] ?? 400}`);
for (let i=0;i<6;++i) { await page.waitForTimeout(3000); console.log(i, await page.evaluate('JSON.stringify({ frames: globalThis.fr, t: ts.map(t => [t.length, t.slice(-60).sort((a,b)=>a-b)[30]]), flavour: globalThis.example?.physics.cairn.flavour, threads: globalThis.example?.physics.cairn.threads, time: globalThis.example?.physics.world.time })')); }
await page.screenshot({ path: '/tmp/scratch-three.png' });
await browser.close(); await server.close();
