import { expect, it } from "vitest";
import { hasErrorCode, SystemError } from "../../src/system/system.ts";

/** As a lazily loaded bundle has it. */
class OtherCopy extends Error {
  override readonly name = "SystemError";
  readonly code = "ENOENT";
}

it("an error of the system is known by its name, whichever copy of the class made it", () => {
  for (const error of [new SystemError("ENOENT", "read", "/x"), new OtherCopy()]) {
    expect(error instanceof SystemError).toBe(true);
    expect(hasErrorCode(error, "ENOENT")).toBe(true);
    expect(hasErrorCode(error, "EACCES")).toBe(false);
  }
  expect(new Error("x") instanceof SystemError).toBe(false);
  expect({ name: "SystemError" } instanceof SystemError).toBe(false);
});
