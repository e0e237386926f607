# traps in Node.js, Chromium and Firefox: the traces of stripped modules become functions, files and lines
apt nodejs chromium firefox-esr
installed
stage_test browsers '^TestBrowsers'
