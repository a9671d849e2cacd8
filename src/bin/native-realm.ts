import { answerRealm, REALM_TEXT, type RunHook } from "../hooks/index.ts";
import { type NativeHost, type NativeRealm, runRealm } from "../system/quickjs.ts";

declare const amplihackHost: NativeHost;

/** Opened when this is loaded, which is while the image is made: the first hook of a run finds a realm ready. */
let spare: NativeRealm | undefined = amplihackHost.openRealm(REALM_TEXT);

export const runInNativeRealm: RunHook = ({ code, exportName }, { plain, call }, timeoutMs) => {
  const realm = spare ?? amplihackHost.openRealm(REALM_TEXT);
  spare = undefined;
  const hook = [code, exportName, JSON.stringify(plain)] as const;
  return runRealm(realm, hook, resume => answerRealm(call, resume), timeoutMs);
};
