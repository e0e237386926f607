export default {
  build: {
    // Below 4 KiB, assets become data: URLs, and no check of dist/ finds them.
    assetsInlineLimit: (file) => (file.endsWith(".wasm") ? false : undefined),
  },
};
