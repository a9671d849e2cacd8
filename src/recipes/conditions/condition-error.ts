/** What is wrong with a condition; never leaves this folder. */
export class ConditionError extends Error {
  override readonly name = "ConditionError";
}
