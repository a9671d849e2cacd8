import { userHooksContract } from "../hooks/user/user-hooks-contract.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

describeNative("users' hooks in the native program", () =>
  userHooksContract([NATIVE_FILE], { hearsSignals: true }),
);
