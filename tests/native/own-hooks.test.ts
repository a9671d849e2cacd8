import { ownHooksContract } from "../hooks/user/own-hooks-contract.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

describeNative("users' hooks in the native program", () =>
  ownHooksContract([NATIVE_FILE], { hearsSignals: true }),
);
