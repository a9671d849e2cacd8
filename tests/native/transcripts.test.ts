import { it } from "vitest";
import { expectAsRecorded, SESSIONS } from "../verify/recorded-sessions.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

describeNative("sessions recorded in the real Claude Code", () => {
  it.each(SESSIONS)("are answered by the native program as recorded, call by call: %s", name => {
    expectAsRecorded(name, [NATIVE_FILE]);
  });
});
