/** The package's version; put in by the build (`scripts/build.mjs`) and by the test runner. */
declare const __AMPLIHACK_VERSION__: string;
