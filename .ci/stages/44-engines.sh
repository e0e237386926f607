# the same traps in wazero, Node.js, Chromium and Firefox: equal offsets, apart from the code start
apt nodejs chromium firefox-esr
installed
stage_test engines '^TestEngines'
