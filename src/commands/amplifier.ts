import { launchCommand } from "./launch/launch-command.ts";

export const command = launchCommand("amplifier");
