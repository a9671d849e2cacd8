export interface CollectedText {
  /** relative to the folder that was searched */
  readonly file: string;
  readonly text: string;
}
export function collectTexts(root: string): readonly CollectedText[];
