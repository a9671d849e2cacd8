/**
 * The tour: the real hook program at work in a temporary folder. It touches nothing else.
 */
export const loadTour = () => import("./tour.ts");
