// Starts a browser for scripts in the same way as the harness: chrome, chrome-software or firefox.
// Needs `npm run build`.

export async function launchBrowser(kind) {
  const { default: puppeteer } = await import('puppeteer');
  const { findBrowser, findFirefox } = await import('../dist/harness/webgpu/browser/find-browser.js');
  if (kind === 'firefox') {
    const prefs = { 'dom.webgpu.enabled': true, 'gfx.webgpu.ignore-blocklist': true, 'dom.max_script_run_time': 0 };
    return await puppeteer.launch({
      browser: 'firefox',
      executablePath: findFirefox(),
      headless: true,
      extraPrefsFirefox: prefs,
      protocolTimeout: 0,
    });
  }
  const { chromeFlags } = await import('../dist/harness/webgpu/browser/chrome-flags.js');
  const choice = kind === 'chrome-software' ? 'software' : 'hardware';
  const override = process.env.CHROME_FLAGS;
  const args = chromeFlags(choice, { override, platform: process.platform, isRoot: process.getuid?.() === 0 });
  const { path } = await findBrowser();
  return await puppeteer.launch({ executablePath: path, args, headless: true, protocolTimeout: 0 });
}
