/** The package's version; put in by the build (`scripts/build-constants.mjs`) and by the test runner. */
declare const __AMPLIHACK_VERSION__: string;
/** The dashboard's page, from `src/dashboard/page/`, as JSON. */
declare const __AMPLIHACK_PAGE__: string;
/** `src/hooks/user/realm.ts` with what it imports, as a text that declares `realm`. */
declare const __AMPLIHACK_REALM__: string;
