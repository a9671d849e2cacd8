interface Turn {
  readonly id: string;
  readonly session: string;
  readonly speaker: string;
  readonly date: string;
  readonly text: string;
}

interface Question {
  readonly question: string;
  readonly kind: string;
  readonly evidence: ReadonlySet<string>;
}

export declare function readConversations(
  text: string,
): readonly { readonly turns: readonly Turn[]; readonly questions: readonly Question[] }[];
