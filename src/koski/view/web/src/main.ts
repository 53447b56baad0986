import { View } from "./draw/view";
new View(document.querySelector<HTMLCanvasElement>("#water")!);
