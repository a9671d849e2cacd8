// How each host is started with its screen, for pictures: without the questions of a first start.

/** Claude Code remembers keys by their end. */
const keyEnd = key => key.slice(-20);

export const SCREENS = {
  "claude-code": {
    files: ({ project, key }) => ({
      ".claude.json": {
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: [keyEnd(key)], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      },
    }),
    args: prompt => ["--permission-mode", "default", prompt],
    call: command => ({ name: "Bash", input: { command, description: "Publish the changes" } }),
    isShown: { ask: /Do you want to proceed/ },
  },
  codex: {
    args: (prompt, trial, driver) =>
      driver.args(prompt, trial).filter(word => word !== "exec" && word !== "--skip-git-repo-check"),
    keys: [{ seen: /Trust this folder/, press: "Enter" }],
  },
  "gemini-cli": {
    // As it comes, it hides failed calls from its user.
    files: () => ({
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        ui: { errorVerbosity: "full", hideTips: true },
      },
    }),
    args: prompt => ["-i", prompt, "--yolo", "--model", "gemini-2.5-flash"],
    call: command => ({ name: "run_shell_command", input: { command, description: "Publish the changes" } }),
  },
  opencode: {
    args: (prompt, { model, project }) => [project, "--model", `${model}/${model}`, "--prompt", prompt],
  },
  pi: {
    args: (prompt, { model }) => ["--offline", "--provider", model, "--model", model, prompt],
    isShown: { ask: /→ Yes/ },
  },
  "copilot-cli": {
    args: prompt => ["-i", prompt, "--allow-all-tools"],
    call: command => ({ name: "bash", input: { command, description: "Publish the changes", mode: "sync" } }),
    keys: [{ seen: /Confirm folder trust/, press: "Enter" }],
    isShown: { ask: /Do you want to allow this tool call/ },
  },
};
