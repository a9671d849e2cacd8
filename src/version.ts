/** The package's version. */
export const version: string = __AMPLIHACK_VERSION__;
