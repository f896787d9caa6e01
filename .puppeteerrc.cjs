// scripts/setup.mjs finds or installs the browser. A download by `npm install` would fail offline.
module.exports = { skipDownload: true };
