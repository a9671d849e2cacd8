import { describe } from "vitest";
import { NODE_PROGRAM } from "../executable.ts";
import { userHooksContract } from "./user-hooks-contract.ts";

describe("users' hooks in the program on Node", () =>
  userHooksContract(NODE_PROGRAM, { hearsSignals: false }));
