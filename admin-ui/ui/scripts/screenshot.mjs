// Takes a picture of a page of the console in headless Chromium, over the DevTools protocol on pipes: no package is needed.
//
//   npm run screenshot -- URL OUT.png [--width 1280] [--height 800] [--dark] [--full] [--wait-for SELECTOR]
//
// Chromium is $CHROMIUM, or the first of chromium, chromium-browser, google-chrome on the path.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: 'string', default: '1280' },
    height: { type: 'string', default: '800' },
    dark: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    'wait-for': { type: 'string', default: 'main table tbody tr, .empty, .failed' },
  },
});
const [url, out] = positionals;
if (url === undefined || out === undefined) {
  console.error('Usage: npm run screenshot -- URL OUT.png [--width N] [--height N] [--dark] [--full] [--wait-for SELECTOR]');
  process.exit(2);
}

const DEADLINE_MS = 30_000;
// What arrives after the first rows: the other queries of the page.
const SETTLE_MS = 700;

const program = findChromium();
const profile = mkdtempSync(join(tmpdir(), 'sluice-screenshot-'));
const chromium = spawn(
  program,
  ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
);
const ended = new Promise((resolve) => chromium.once('exit', resolve));
const send = connect(chromium.stdio[3], chromium.stdio[4]);
try {
  const target = (await send('Target.getTargets')).targetInfos.find((each) => each.type === 'page');
  const { sessionId } = await send('Target.attachToTarget', { targetId: target.targetId, flatten: true });
  await send(
    'Emulation.setDeviceMetricsOverride',
    { width: Number(values.width), height: Number(values.height), deviceScaleFactor: 1, mobile: false },
    sessionId,
  );
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: values.dark ? 'dark' : 'light' }] }, sessionId);
  await send('Page.navigate', { url }, sessionId);
  await shown(sessionId, values['wait-for']);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const shot = await send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: values.full }, sessionId);
  writeFileSync(out, Buffer.from(shot.data, 'base64'));
  console.log(`${out}: ${url}`);
} catch (failure) {
  console.error(`No screenshot of ${url}: ${failure.message}`);
  process.exitCode = 1;
} finally {
  await Promise.race([send('Browser.close').then(() => ended), ended]).catch(() => chromium.kill());
  removeProfile();
}

function removeProfile() {
  try {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  } catch (failure) {
    // A helper of Chromium may still write; the picture is there.
    console.warn(`${profile} is left behind: ${failure.code}`);
  }
}

/** Waits until something matches the selector. */
async function shown(sessionId, selector) {
  const deadline = Date.now() + DEADLINE_MS;
  const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`;
  while (Date.now() < deadline) {
    const { result } = await send('Runtime.evaluate', { expression, returnByValue: true }, sessionId);
    if (result.value === true) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing matches ${selector} after ${DEADLINE_MS / 1000} s`);
}

/** Messages are JSON, each ended by a zero byte. */
function connect(input, output) {
  const waiting = new Map();
  let last = 0;
  let rest = '';
  output.setEncoding('utf8');
  output.on('data', (chunk) => {
    const messages = (rest + chunk).split('\0');
    rest = messages.pop();
    for (const message of messages.map(JSON.parse)) {
      const call = waiting.get(message.id);
      waiting.delete(message.id);
      if (call !== undefined) {
        message.error === undefined ? call.resolve(message.result) : call.reject(new Error(message.error.message));
      }
    }
  });
  chromium.once('error', (failure) => waiting.forEach((call) => call.reject(failure)));
  chromium.once('exit', (code) => waiting.forEach((call) => call.reject(new Error(`${program} ended with ${code}`))));
  return (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      input.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
}

function findChromium() {
  if (process.env.CHROMIUM !== undefined) {
    return process.env.CHROMIUM;
  }
  const found = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => spawnSync('which', [name]).status === 0);
  if (found === undefined) {
    console.error('No Chromium: install it (apt-get install chromium) or set CHROMIUM to the program');
    process.exit(2);
  }
  return found;
}
