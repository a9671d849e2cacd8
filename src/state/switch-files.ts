/** Files of a project whose presence or content switches a check of the workflow off, or a mode on. */

/** Below a project or the working directory: with it power steering is off. */
export const DISABLED_FILE = ".disabled";
/** Below the run-time state of a project: what power steering remembers, with its own `.disabled`. */
export const POWER_STEERING_FOLDER = "power-steering";
/** In the folder of a session there: a person said that the work is complete. */
export const CONFIRMED_FILE = "user_confirmed_complete";
/** Below the run-time state of a project: the files of continuous-work mode. */
export const LOCKS_FOLDER = "locks";
/** Below `.claude/tools/amplihack` of a project: which checks are on. */
export const POWER_STEERING_CONFIG = ".power_steering_config";
export const CONSIDERATIONS_FILE = "considerations.yaml";
/** Variables that switch checks of the workflow off in the agent that is started with them. */
export const WORKFLOW_SWITCHES = ["AMPLIHACK_SKIP_POWER_STEERING", "AMPLIHACK_SKIP_REFLECTION"] as const;
