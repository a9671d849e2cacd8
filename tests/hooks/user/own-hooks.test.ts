import { describe } from "vitest";
import { NODE_PROGRAM } from "../executable.ts";
import { ownHooksContract } from "./own-hooks-contract.ts";

describe("users' hooks in the program on Node", () =>
  ownHooksContract(NODE_PROGRAM, { hearsSignals: false }));
