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
  /\b(?:if|when|unless|once) (?:you|your)\b(?!(?:['’]re| are) (?:an? )?(?:\w+ )?(?:ai|llm|language|assistant|agent|bot))[^.!?\n]*$/i;

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
