// The browser is found or installed by scripts/setup.mjs: a download while packages install would fail offline.
module.exports = { skipDownload: true };
