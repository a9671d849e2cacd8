// What the descriptors in src/hosts/ say about a host, as rows of a table for people.

const CONTEXT = { payload: {}, extras: {}, isHeadless: false };

/** All hosts: a header and a row for each. */
export function hostList(hosts) {
  const rows = hosts.map(host => {
    const { title, live, registeredBy } = host.setup();
    const by = registeredBy === undefined ? "" : ` (reads the files of ${registeredBy})`;
    return [
      `[${title}](${host.id}.md)`,
      `\`--host ${host.id}\`${by}`,
      can(host, "ask") ? "shows it to you" : "becomes a refusal with a code",
      typeof live === "object" ? "yes" : `no: ${live}`,
    ];
  });
  return [["host", "install with", "a question of the guard", "tried with the real program"], rows];
}

/** One host: a header and a row for each thing that is known. */
export function hostFacts(host) {
  const { title, folders, programs, nextStep, gaps, agent, registeredBy, live } = host.setup();
  const { files, relocation } = host.registration ?? {};
  const names = [host.id, ...(host.shortNames ?? [])];
  const rows = [
    ["install", names.map(name => `\`amplihack install --host ${name}\``).join(" or ")],
    ["found by", list([...programs.map(name => `\`${name}\` on \`PATH\``), ...folders.map(inHome)])],
    ["your hooks file", registeredBy === undefined ? inHome(files?.user) : `that of ${registeredBy}`],
    ["a project's hooks file", files?.project === undefined ? "" : `\`${files.project}\``],
    [
      "another place",
      relocation === undefined ? "" : `\`$${relocation.variable}\` instead of ${inHome(relocation.folder)}`,
    ],
    ["after installing", sentences(nextStep)],
    ["started by", agent === undefined ? "" : `\`amplihack ${agent.name}\` ([launcher](../launcher.md))`],
    ["a refusal", told(host, "deny", "PreToolUse", "the call does not run, and the model is told why")],
    [
      "a question",
      can(host, "ask") ? `${title} shows it with its own yes and no` : "becomes a refusal with a code",
    ],
    ["answered for you", answeredBy(host)],
    ["in the sandbox", sandboxedBy(host)],
    ["context at the start", told(host, "context", "SessionStart", "reaches the model")],
    ["context at a prompt", told(host, "context", "UserPromptSubmit", "reaches the model")],
    ["a held stop", told(host, "deny", "Stop", "the model goes on, with the reason")],
    ["it cannot", list(gaps ?? [])],
    ["not tried here", typeof live === "string" ? live : ""],
  ];
  return [["", title], rows.filter(([, text]) => text !== "")];
}

/** Where questions are answered in the person's place, as the descriptor says. */
function answeredBy({ answering }) {
  if (typeof answering === "string") return `no: it ${answering}`;
  const rules = answering.overrides === undefined ? "" : ", while no rule of yours asks";
  const when = answering.event === "PreToolUse" ? "before it asks" : "when it asks";
  return `yes, ${when}${rules} ([autonomy](../autonomy.md))`;
}

/** When its commands are sent to the sandbox, as the descriptor says. */
function sandboxedBy({ sandboxing }) {
  if (sandboxing === undefined) return "no: its commands run as they are";
  const { ownSandbox, onlyWith, overrides = [] } = sandboxing;
  const when = [
    ...(ownSandbox === undefined ? [] : ["while its own sandbox is off"]),
    ...(onlyWith === undefined ? [] : [`while it is started with \`${onlyWith.what}\``]),
    ...(overrides.length === 0 ? [] : ["while no rule of yours denies or asks"]),
  ];
  return ["commands that are not understood", ...when].join(", ");
}

function encoderOf(host, event) {
  return host.responses({ ...CONTEXT, event, eventName: event, nativeEvent: event })[event];
}

function can(host, ability, event = "PreToolUse") {
  return encoderOf(host, event)?.[ability] !== undefined;
}

function told(host, ability, event, effect) {
  if (!can(host, ability, event)) return "is not possible";
  const { unproven = [], caveats = {} } = encoderOf(host, event);
  const doubts = [...(unproven.includes(ability) ? ["not proven"] : []), caveats[ability]].filter(Boolean);
  return doubts.length === 0 ? effect : `${effect} (${doubts.join("; ")})`;
}

function inHome(path) {
  if (path === undefined) return "";
  return path === "" ? "`~`" : `\`~/${path}\``;
}

function list(items) {
  return items.join(", ");
}

function sentences(nextStep) {
  const { user, project } = nextStep ?? {};
  if (user === undefined) return project === undefined ? "" : `with \`--scope project\`: ${project}`;
  return user;
}
