/** The argument of commands that take a whole section as well. */
export const SETTING_OR_SECTION = {
  name: "KEY",
  summary: "a setting or a section: guard.level, guard.rules.git.push, history",
  completes: "setting",
} as const;
