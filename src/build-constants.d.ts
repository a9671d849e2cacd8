/** The package's version; put in by the build (`scripts/build-constants.mjs`) and by the test runner. */
declare const __AMPLIHACK_VERSION__: string;
/** The public key of releases; put in when a release is built, else empty or not there. */
declare const __AMPLIHACK_RELEASE_KEY__: string | undefined;
/** The dashboard's page, from `src/dashboard/page/`. */
declare const __AMPLIHACK_PAGE__: {
  readonly markup: string;
  readonly style: string;
  readonly script: string;
};
