import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";

const BUILT_HERE = fileURLToPath(new URL("../../dist/native/amplihack-hooks", import.meta.url));
/** A program for another machine, which the kernel gives to an emulator; `arm64.mjs` names it. */
const EMULATED = process.env["AMPLIHACK_TEST_EMULATED"];
export const NATIVE_FILE = EMULATED ?? BUILT_HERE;

/** Groups tests of the native program; where it was not built they are shown as skipped. */
export const describeNative: ReturnType<typeof describe.skipIf> = describe.skipIf(!existsSync(NATIVE_FILE));
