export declare const LAYERS: readonly string[];
export declare function checkLayers(root: string): readonly string[];
