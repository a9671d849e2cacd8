export const loadTour = () => import("./tour.ts");
