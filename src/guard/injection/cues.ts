import { decodeBase64 } from "../../shell/index.ts";

/** One sign by itself proves little; which of them stand together decides. */
export type CueKind = "override" | "address" | "imitation" | "risk" | "secrecy" | "persona";

export interface Cue {
  readonly kind: CueKind;
  readonly start: number;
  readonly end: number;
}

const PRODUCTS = "claude|copilot|chatgpt|gpt(?:-\\d\\w*)?|gemini|codex|cursor";
const AI = `(?:(?:${PRODUCTS}|ai|llm|automated|autonomous|coding|reviewer)[ -](?:coding )?(?:agents?|assistants?|models?|systems?|reviewers?|bots?)(?: instructions?)?|${PRODUCTS}|ai|llms?|(?:large )?language models?|chat ?bots?|agents?|assistants?)`;

/** `model:` and `model,` are members of records far more often than somebody who is spoken to. */
const READER = `(?:${AI}|models?)`;

const ADDRESS = [
  `\\b(?:note|notice|message|attention|instructions?|important|reminder|step \\d+)\\b[^.!?\\n]{0,20}?\\b(?:to|for)\\s+(?:all |any |the |every )*${READER}\\b`,
  `\\b(?:attention,?|to (?:all|any|every)) (?:all )?${READER}\\b`,
  `\\bif you(?:['’]re| are) (?:an? )?(?:\\w+ )?${READER}\\b`,
  `\\b${READER} (?:(?:reading|processing|parsing|viewing|crawling|indexing|visiting|summari[sz]ing|reviewing|that (?:reads?|pars\\w+|process\\w*|summari\\w+))\\b|(?:must|should|shall|will|needs? to|ha(?:s|ve) to|(?:is|are) (?:required|expected))\\b)`,
  `\\b(?:dear|hey|hello|hi|ok|okay) ${READER}\\b`,
  `\\b(?:if|when|once) (?:an?|any|the) ${READER} (?:reads?|sees?|process(?:es)?|finds?|summari[sz]es|pars\\w+)\\b`,
  `\\b(?:bot|program|machine|tool) that (?:reads?|process(?:es)?|summari[sz]es) this\\b`,
  `\\b(?:ask|tell|want|require|instruct)s? (?:all |any |the )?${READER} to\\b`,
  "\\b(?:from|by) your (?:developers?|creators?|operators?|administrators?)\\b",
  `\\b(?:${AI}) instructions? for\\b|\\b(?:before|when|while|after) (?:you )?(?:answer|respond|process|summari[sz]|pars)(?:e|ing|s)?\\b`,
  `\\bas (?:an?|the) (?:ai|llm|language model|assistant|coding agent)\\b`,
  `\\b(?:${READER})(?:,| should| you) you\\b`,
];

const IMITATION = [
  "<\\|(?:im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext)\\|>",
  "\\[/?INST\\]|<</?SYS>>|</?system(?:-reminder|_prompt|_message)?>|<important>",
  '\\bbegin (?:system|admin|developer|operator)\\b|\\[(?:system|admin|developer)(?: \\w+)?\\][ \\t]|"role"\\s*:\\s*"(?:system|developer)"|\\bend of (?:the )?(?:web ?page|tool output|tool result|document|page|context|file)\\b',
  "</(?:document|tool_result|function_results|context|web_content|untrusted\\w*)>",
  '<function_calls>|<(?:\\w+:)?invoke name=|<tool_calls?>|"tool_calls"\\s*:|"type"\\s*:\\s*"tool_use"|```tool_code',
  '"name"\\s*:\\s*"(?:bash|shell|execute|terminal|run\\w*)"\\s*,\\s*"(?:arguments|input|parameters)"',
  `(?:^|[\\n>(#*/"'.!?-])[ \\t]*\\[?(?:system|human|user|${AI}|note to ai)\\]?(?: (?:note|notice|message|alert|update|instruction)s?)?[ \\t]*(?::|,|\\]\\()[ \\t\\n]`,
  "\\bthe user (?:says|said):|\\bnew user message\\b",
];

const SECRET_FILE =
  "(?:\\.env\\b|id_(?:rsa|ed25519)|\\.ssh\\b|\\.aws\\b|\\.netrc|\\.npmrc|\\.git-credentials|/etc/passwd|mcp\\.json|hosts\\.yml)";
const SECRET = `(?:${SECRET_FILE}|\\bapi[ _-]?keys?\\b|\\b\\w*tokens?\\b|\\bcredentials?\\b|\\bpasswords?\\b|\\bsecrets?\\b|\\b(?:private|ssh|deploy|access|secret|admin|our|the) keys?\\b|\\benvironment(?: variables?)?\\b|\\bcookies?\\b|\\b(?:system|initial|hidden|complete|original) (?:\\w+ )?(?:prompt|message|instructions)\\b|\\bconversation\\b|\\bchat history\\b|\\bclipboard\\b|\\b(?:each|every|all) files?\\b|\\bsource tree\\b|\\blast (?:\\w+ )?messages\\b|\\bthe user['’]s (?:\\w+[ -]){0,2}(?:address|location|data|files)\\b)`;
const HAND_OVER =
  "\\b(?:send(?:ing)?|post(?:ing)?|upload(?:ing)?|exfiltrate|e-?mail(?= (?:the|all|every|your|any|us|me)\\b)|forward|leak|transmit|submit|include|append|paste|reveal|print|output(?! tokens)|share|disclose|dump|copy|encode|export|quote|repeat|reply with|respond with|pass|list(?= (?:all|every|your|the)\\b)|read|cat|put|tar|curl|commit|push|publish|transfer|collect|harvest|steal)\\b";

const RISK = [
  "\\b(?:curl|wget|iwr|invoke-webrequest)\\b[^\\n|]{0,120}\\|\\s*(?:sudo\\s+)?(?:ba|z|da)?sh\\b|\\b(?:ba|z)?sh\\s+<\\(\\s*curl|\\beval\\(|\\bos\\.system\\(|\\breverse shell\\b",
  `${HAND_OVER}[ \\t:][^.!?\\n]{0,40}?${SECRET}`,
  `\\b(?:read|open|copy|with|use|add|save|pass|from|to|send|post|upload|paste|print|output)\\b[^!?\\n]{0,40}?${SECRET_FILE}`,
  "\\b(?:safety|security|guardrails?|restrictions?|filters?)\\b[^.!?\\n]{0,20}\\b(?:(?:is|are) (?:now )?(?:off|lifted|removed|void)|(?:are )?disabled)\\b",
  "\\b(?:silently|secretly|quietly|covertly) (?:add|install|run|execute|delete|remove|change|send|commit|push|insert|modify|replace)\\b|\\btransfer (?:the )?(?:repository|ownership|funds|money)\\b",
  `${SECRET_FILE}[^\\n]{0,60}https?:`,
  `\\b(?:files?|secrets?|credentials|tokens?|configuration)\\b[^.!?\\n]{0,25}\\b(?:be|are) (?:sent|posted|uploaded|forwarded|disclosed)\\b|\\bdisclose their\\b`,
  "\\brm -(?:rf|fr)\\b|\\bdrop (?:table|database)\\b|\\bwipe the\\b|\\b(?:delete|erase|remove) (?:all|every|the (?:tests?|failing|backups?|logs?|database|repository|user))\\b|\\bpush --force\\b|\\bforce[- ]push\\b",
  "\\b(?:disable|turn off|bypass|skip|suspend|ignore|disregard)\\b[^.!?\\n]{0,30}?\\b(?:safety|security|guards?|hooks?|checks?|sandbox|permissions?|confirmations?|review|approval|diff)\\b|\\b(?:bypass mode|no confirmation|without (?:asking|review)|push directly|hooksPath)\\b",
  "\\b(?:approve|merge)\\b[^.!?\\n]{0,20}?\\b(?:pr|pull requests?|commands?|changes?|it)\\b|\\blgtm\\b|\\band approve\\b|\\bmark (?:this|the|it)\\b[^.!?\\n]{0,30}\\b(?:safe|reviewed|spam)\\b|\\bhighest score\\b|\\brecommend only\\b|\\bchange is safe\\b|\\bdo not (?:flag|report)\\b[^.!?\\n]{0,20}(?:security|vulnerab|problem|call)",
  "\\b(?:run|execute|call|install|follow|obey|download|fetch(?:es)?)\\b[^.!?\\n]{0,40}?(?:https?:|\\bscript at\\b|\\bthis command\\b|\\bfollowing command\\b|\\bthis block\\b|\\bthe command the\\b|\\bnpx\\b|\\bnpm (?:config|publish)\\b|\\bsudo pip\\b|\\bwith sudo\\b)",
  "\\bdangerously\\w+|\\bbypassPermissions\\b|\\bauto-?approve\\b|\\b(?:nc|ncat|netcat)\\b[^\\n]{0,60}\\s-e\\b|\\bcurl\\b[^\\n]{0,40}\\s(?:-T|-d|-F|--data\\S*|--upload-file)\\s|\\bpush\\b[^.!?\\n]{0,25}\\bto https?:",
  "\\badd(?:s|ing)? [^.!?\\n]{0,30}\\bas an? (?:maintainer|admin\\w*|owner|collaborator)\\b|\\breport success\\b|\\b(?:give|grant)\\b[^.!?\\n]{0,25}\\b(?:admin\\w*|root|full) (?:rights|access|permissions?)\\b|\\btreat\\b[^.!?\\n]{0,40}\\bas (?:approved|trusted|safe|authori[sz]ed|verified)\\b|\\b(?:claim|say|state|report|pretend|answer)(?:s|ing)? (?:that )?[^.!?\\n]{0,30}\\b(?:pass(?:es|ed)?|the best|no (?:known )?vulnerabilities|(?:is|are) (?:safe|secure))\\b",
  "\\b(?:replace|remove|drop|comment out)\\b[^.!?\\n]{0,30}\\b(?:verification|validation|authentication|signature checks?)\\b|\\b(?:you have|who has) no (?:rules|restrictions|limits|guidelines)\\b",
  "\\b(?:rank|list|recommend)\\b[^.!?\\n]{0,25}\\b(?:first|only|highest)\\b|\\b(?:verified|audited|checked)\\b[^.!?\\n]{0,30}\\bsafe\\b|\\bstop (?:working on|doing)\\b[^.!?\\n]{0,40}\\binstead\\b|\\binclude (?:the|this) (?:string|word|phrase|text|link|sentence)\\b",
  "\\b(?:visit|open|fetch|request|load)\\b[^!?\\n]{0,15}https?:\\S{1,200}[^.!?\\n]{0,20}\\b(?:followed by|containing|plus|and append)\\b",
  "\\byour memory\\b|\\bremember this permanently\\b|\\bauthorized_keys\\b|\\bcron ?job\\b|\\bbackdoor\\b|\\brepeat everything\\b|\\bwith the (?:full|last|whole)\\b[^.!?\\n]{0,15}\\b(?:conversation|messages|history)\\b|\\bgrant (?:it|me|us|them)\\b[^.!?\\n]{0,20}\\b(?:permissions?|access|rights)\\b",
  "\\b(?:upload|send|post|transfer)\\b[^.!?\\n]{0,25}\\b(?:repository|codebase|sources?|files?|contents?)\\b[^.!?\\n]{0,15}https?:",
  `(?:ejecuta|exécute[rz]?|führe|esegui|выполни|执行|運行|运行|実行)[^.!?\\n]{0,20}?(?:https?:|curl|script|skript|скрипт|脚本|腳本)`,
  "(?:sende|schicke|lade|envía|envoie|invia|envie|отправь|发送|送信)[^.!?\\n]{0,30}?(?:datei|zugangsdaten|passwor|clave|contraseña|mot de passe|chiave|chave|парол|密码|密钥|\\.env)",
];

const PEOPLE = "(?:users?|human|developer|operator|owner|anyone|maintainers?)";
const SECRECY = [
  `\\b(?:do not|don['’]t|never|without|must not|not to)\\s+(?:\\w+\\s+)?(?:tell(?:ing)?|show(?:ing)?|inform(?:ing)?|mention(?:ing)?|notify(?:ing)?|alert|reveal|disclos(?:e|ing)|warn|report|let|ask(?:ing)?)\\b[^.!?\\n]{0,40}?\\b(?:${PEOPLE}|confirmation|this (?:request|step)|these instructions|it to)\\b`,
  `\\b(?:keep|hide)\\b[^.!?\\n]{0,25}?\\b(?:secret|hidden|from)\\b[^.!?\\n]{0,15}?\\b${PEOPLE}\\b`,
  `\\b${PEOPLE} must not (?:know|be told|notice|see)\\b|\\btell nobody\\b`,
  "\\bnicht dem (?:be)?nutzer sagen|sag(?:e|t)? (?:es )?dem (?:be)?nutzer nicht|ohne de[nm] (?:be)?nutzer",
  "n['’]en parle[zr]? pas à l['’]utilisateur|ne (?:le )?dis pas à l['’]utilisateur|sans (?:prévenir|informer) l['’]utilisateur",
  "\\bno (?:se lo|le|lo) digas al usuario|sin (?:avisar|informar) al usuario|non dire all['’]utente|senza avvisare l['’]utente",
  "(?:不要|别|勿)告诉(?:用户|使用者)|ユーザー(?:に|には)(?:言わない|知らせない|伝えない)|не (?:говори|сообщай)\\S* пользовател",
];

const PERSONA = [
  "\\byou are (?:now|no longer) (?:an?|in|the|dan|bound|unrestricted|\\w*bot)\\b|\\b(?:an )?unrestricted (?:agent|assistant|model)\\b|\\bno restrictions\\b",
  "\\bnew (?:system )?(?:instructions?|policy|prompt|directives?)\\s*(?:is|are|:|follows?)|\\bhave new instructions\\b|\\badditional instruction\\b",
  "\\byour (?:new|real|actual|true|only) (?:task|goal|instructions?|objective|purpose|role|prompt)(?: is\\b| are\\b|:)|\\bthe (?:true|real|actual) (?:one|instructions?|prompt|task)\\b|\\byour (?:system )?(?:instructions|prompt|guidelines|rules) ha(?:ve|s) (?:been )?(?:changed|updated|replaced|revoked)\\b",
  "\\b(?:system|admin|operator) override\\b|\\bsystem prompt update\\b|\\b(?:you(?:['’]re| are) (?:now )?in|enter|activate|switch to|enabl(?:e|ing)) developer mode\\b|\\bact as (?:if you|an? (?:\\w+ )?(?:terminal|shell|root|admin\\w*))\\b|\\bpretend that (?:the|this|you)\\b|\\bfrom now on,? you (?:are|will|must|obey)\\b",
  "\\bgranted (?:full|admin)\\b|\\bobey only\\b|\\b(?:follow|obey) (?:mine|it:|:)|\\band (?:follow|obey)(?: it)?:|\\bthe user already agreed\\b|\\bare suspended\\b",
  "\\bcontext was compromised\\b|\\bforget the guidelines\\b",
];

const KINDS: readonly (readonly [CueKind, RegExp])[] = (
  [
    ["address", ADDRESS],
    ["imitation", IMITATION],
    ["risk", RISK],
    ["secrecy", SECRECY],
    ["persona", PERSONA],
  ] as const
).map(([kind, sources]) => [kind, new RegExp(sources.join("|"), "gi")] as const);

const NEGATED =
  /(?:\b(?:not|never|cannot|without|refuse[sd]? to|declines? to|avoids?|instead of)|n['’]t)\s+(?:\w+\s+){0,2}$/i;

/** Of one kind in a passage: a text that repeats itself must not cost more than one that does not. */
const MAX_CUES = 300;

/** The signs in a passage, in the order of their kinds. */
export function findCues(text: string): readonly Cue[] {
  const cues: Cue[] = findOverrides(text).map(([start, end]) => ({ kind: "override", start, end }));
  for (const [kind, pattern] of KINDS) {
    let count = 0;
    for (const match of text.matchAll(pattern)) {
      if (++count > MAX_CUES) break;
      const end = match.index + match[0].length;
      if (kind === "risk" && isHarmless(text, match.index, end)) continue;
      cues.push({ kind, start: match.index, end });
    }
  }
  return cues;
}

/** "Do not include passwords" asks for the opposite, and "delete all files?" only asks. */
function isHarmless(text: string, start: number, end: number): boolean {
  if (NEGATED.test(text.slice(Math.max(0, start - 40), start))) return true;
  return /^[^.!?\n]{0,80}\?/.test(text.slice(end, end + 90));
}

/** Gaps stay inside a sentence and are bounded, so that every pattern takes linear time. */
const GAP = "[^.!?\\n]{0,40}?";
const SHORT = "[^.!?\\n]{0,25}?";

const VERB =
  "(?:ignore|disregard|forget|override|overrule|discard|neglect|bypass|set aside|pay no attention to|stop (?:following|obeying)|(?:do not|don['’]t|no longer) (?:follow|obey))";
const EARLIER =
  "(?:previous|prior|earlier|preceding|above|foregoing|former|past|original|initial|system|safety|security|developers?|your)";
const ORDERS = "(?:instructions?|prompts?|directives?|directions|guidelines?|commands|orders|rules|rubric)";

const ENGLISH = [
  `${VERB}\\b${GAP}\\b${EARLIER}\\b${SHORT}\\b${ORDERS}`,
  `${VERB}\\b${SHORT}\\b${ORDERS}\\b${SHORT}\\b(?:above|before|given (?:to|by)|you (?:were|have been|received|got))`,
  `${VERB}\\s+(?:all |everything |anything |the |what )*(?:above\\b(?:,? and|,? instead|[.,;:]? (?:text|directions))|(?:that )?(?:you (?:were|have been|had been) told|(?:the|your) user (?:asked|said|wants)|the user['’]s request))`,
  `${VERB}\\s+the user['’]s request`,
  `${VERB}\\s+(?:the|your) (?:user|human|operator|developers)(?=[.!,;:]|\\s+and\\b)`,
  `${VERB}\\b${SHORT}\\b${ORDERS} of your (?:operator|developers?|creators?|user)`,
  `${EARLIER} ${ORDERS} (?:is|are) (?:now )?(?:void|cancelled|invalid|revoked|obsolete)`,
  `this (?:\\w+ )?(?:overrides|supersedes|replaces|cancels) (?:all|any|every|your)\\b${SHORT}\\b(?:instructions?|prompts?|directives?|guidelines?)`,
  `your ${SHORT}(?:system prompt|instructions|guidelines) (?:is|are) (?:now )?(?:void|cancelled|invalid|replaced|obsolete)`,
];

const OTHER_LANGUAGES = [
  `(?:ignorier|missacht|vergiss|vergesst|vergessen)\\S*${GAP}(?:vorherig|vorig|bisherig|früher|obig|vorangegangen|vorstehend)\\S*${SHORT}(?:anweisung|instruktion|regel|vorgabe|befehl|prompt|richtlinie|weisung)`,
  `(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte|fai(?:s|tes) abstraction)\\b${GAP}(?:instructions|consignes|directives|règles|ordres)\\b${SHORT}(?:précédent|antérieur|ci-dessus|initial)`,
  `(?:ignora|ignore|olvida|olvide|haz caso omiso|descarta)\\b${GAP}(?:instrucciones|órdenes|indicaciones|reglas|directrices)\\b${SHORT}(?:anterior|previ|precedent|de arriba)`,
  `(?:ignora|dimentica|trascura)\\b${GAP}(?:istruzioni|ordini|regole|comandi|indicazioni)\\b${SHORT}(?:precedent|sopra|anterior)`,
  `(?:ignore|ignora|esqueça|esquece|desconsidere)\\s${GAP}(?:instruções|regras|ordens|comandos|orientações)\\s${SHORT}(?:anterior|prévi|acima|precedent)`,
  `(?:negeer|vergeet)\\b${GAP}(?:voorgaande|vorige|eerdere|bovenstaande)${SHORT}(?:instructies|opdrachten|regels|aanwijzingen)`,
  `(?:ignorera|glöm|bortse från)\\s${GAP}(?:tidigare|föregående|ovanstående)${SHORT}(?:instruktion|regler|anvisning)`,
  `(?:игнорируй|забудь|не обращай\\S* внимания|отбрось)\\S*${GAP}(?:предыдущ|прежн|прошл|выше)\\S*${SHORT}(?:инструкц|указани|команд|правил|промпт)`,
  `(?:ігноруй|забудь|відкинь)\\S*${GAP}(?:попередн|минул)\\S*${SHORT}(?:інструкц|вказівк|команд|правил)`,
  `(?:ignoruj|zapomnij|pomiń)\\S*${GAP}(?:poprzedn|wcześniejsz|powyższ)\\S*${SHORT}(?:instrukc|polece|zasad|wytyczn)`,
  `(?:önceki|yukarıdaki)${GAP}(?:talimat|komut|kural|yönerge)\\S*${SHORT}(?:yok say|unut|görmezden|dikkate alma)`,
  `(?:تجاهل|انس)\\S*${GAP}(?:تعليمات|أوامر|توجيهات|التعليمات|الأوامر|التوجيهات)\\S*${SHORT}(?:السابق|أعلاه)`,
  `(?:पिछले|पूर्व|उपरोक्त)${GAP}निर्देश\\S*${SHORT}(?:अनदेखा|नज़रअंदाज़|भूल)`,
  "(?:忽略|无视|無視|忘记|忘記|忽視|不要理会)[^。.\\n]{0,12}?(?:之前|以前|先前|以上|上述|上面|前面)[^。.\\n]{0,8}?(?:指令|指示|命令|提示|规则|規則)",
  "(?:これまで|以前|前|上記|先)[^。.\\n]{0,10}?(?:指示|命令|プロンプト|ルール)[^。.\\n]{0,8}?(?:無視|忘れ)",
  "(?:이전|앞|위|기존)[^.\\n]{0,12}?(?:지시|명령|프롬프트|규칙)[^.\\n]{0,12}?(?:무시|잊)",
];

const PATTERNS = [
  new RegExp(`\\b(?:${ENGLISH.join("|")})`, "gi"),
  new RegExp(OTHER_LANGUAGES.join("|"), "gi"),
];

/** What stands before the verb when somebody tells of it instead of asking for it. */
const TOLD_OF =
  /\b(?:can|may|could|might|will|would|not|never|it|they|we|i|he|she|users?|models?|people|safely|who|that|which|also|to)\s+$/i;
const ASKED_FOR = /\b(?:need|have|required|asked|instructed|ordered|want you|supposed) to\s+$/i;
/** Advice for people who did something else: "if you installed from source, ignore the previous instructions". */
const CONDITION =
  /\b(?:if|when|unless|once) (?:you|your)\b(?!(?:['’]re| are) (?:an? )?(?:\w+ )?(?:ai|llm|language|assistant|agent|bot))[^.!?\n]{0,300}$/i;

/** Where a text asks to set instructions aside. */
export function findOverrides(text: string): readonly (readonly [number, number])[] {
  return PATTERNS.flatMap(pattern =>
    [...text.matchAll(pattern)].flatMap(match => {
      const before = text.slice(Math.max(0, match.index - 120), match.index);
      const isTold = TOLD_OF.test(before) && !ASKED_FOR.test(before);
      if (isTold || CONDITION.test(before)) return [];
      return [[match.index, match.index + match[0].length] as const];
    }),
  );
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const NOT_ASCII = /[^\u0000-\u007f]/;

/** Latin letters, and those of other scripts that are drawn like them. */
const LOOK_ALIKES = new Map(
  [
    ..."аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwѵvӏlкkмmтtвbнhгrАAВBЕEКKМMНHОOРPСCТTУYХXІIЈJЅSοoαaρpνvικιiκkυuωwΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX",
  ]
    .reduce<string[][]>((pairs, letter, index) => {
      if (index % 2 === 0) pairs.push([letter]);
      else pairs.at(-1)?.push(letter);
      return pairs;
    }, [])
    .map(([from = "", to = ""]) => [from, to] as const),
);
const DIGITS: Readonly<Record<string, string>> = {
  0: "o",
  1: "i",
  3: "e",
  4: "a",
  5: "s",
  7: "t",
  "@": "a",
  $: "s",
};
const LEET = /1gn|[i1]gn0|gn0r|pr3v|prev1|v10u|1nst|instruct1|ruct10/i;
const MIXED = /[a-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][a-z]/i;
const SPACED = /\b\w([ .\-_*])\w(?:\1\w)+\b/g;

/** The text as a reader takes it: without invisible characters, with look-alike forms and entities resolved. */
export function toPlain(text: string): string {
  const seen = NOT_ASCII.test(text) ? text.replace(INVISIBLE, "").normalize("NFKC") : text;
  if (!seen.includes("&")) return seen;
  return seen
    .replace(/&#(\d{2,6});/g, (whole, code: string) => fromCode(Number(code)) ?? whole)
    .replace(/&#x([0-9a-f]{2,5});/gi, (whole, code: string) => fromCode(Number.parseInt(code, 16)) ?? whole)
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&nbsp;", " ");
}

function fromCode(code: number): string | undefined {
  return code >= 32 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The same text with disguises of letters taken off; none for text that has no such disguise. */
export function undisguised(plain: string): readonly string[] {
  const views: string[] = [];
  if (MIXED.test(plain)) views.push([...plain].map(letter => LOOK_ALIKES.get(letter) ?? letter).join(""));
  if (LEET.test(plain)) views.push(plain.replace(/[013457@$]/g, digit => DIGITS[digit] ?? digit));
  const joined = plain.replace(SPACED, run => run.replace(/[ .\-_*]/g, ""));
  if (joined !== plain) views.push(joined.replace(/ {2,}/g, " "));
  const unmarked = plain.replace(/\*\*|__|~~/g, " ").replace(/<!--.{0,40}?-->|<\/?\w{1,10}>/g, "");
  if (unmarked !== plain) views.push(unmarked.replace(/ {2,}/g, " "));
  return views;
}

const BLOB = /[A-Za-z0-9+/_-]{32,8000}={0,2}/g;
const MAX_BLOBS = 50;
const PRINTABLE = /^[\t\n\r\u0020-\u007e]*$/;

/** What base64 in a text says, as far as it is text. */
export function decodedTexts(plain: string): readonly string[] {
  const texts: string[] = [];
  let seen = 0;
  for (const [blob] of plain.matchAll(BLOB)) {
    if (++seen > MAX_BLOBS) break;
    const bytes = decodeBase64(blob);
    if (bytes === undefined) continue;
    const text = String.fromCharCode(...bytes.subarray(0, 4_000));
    if (PRINTABLE.test(text) && text.includes(" ")) texts.push(text);
  }
  return texts;
}
