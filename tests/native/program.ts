import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";

export const NATIVE_FILE = fileURLToPath(new URL("../../dist/native/amplihack-hooks", import.meta.url));

/** Groups tests of the native program; where it was not built they are shown as skipped. */
export const describeNative = describe.skipIf(!existsSync(NATIVE_FILE));
