import { keepsContract } from "../hooks/executable-contract.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

describeNative("the native executable", () => {
  keepsContract({ argv: [NATIVE_FILE], hearsSignals: true, maxMebibytes: 40 });
});
