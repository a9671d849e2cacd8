import { it } from "vitest";
import { answersOnly } from "../guard/disguised-scenes.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

describeNative("calls that are more than their words", () => {
  it("are not answered by the native program, where their neighbours are", () => {
    answersOnly([NATIVE_FILE]);
  });
});
