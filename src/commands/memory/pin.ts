import { definePinning } from "./pinning.ts";

export const pinCommand = definePinning("pin", true, "give a memory to every session at its start");
