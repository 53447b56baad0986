import type { Prop, Tool as Touching } from "./messages";

/** Something that the hand can do to the world. */
export type Tool = {
  name: string;
  label: string;
  key: string;
  tip: string;
  colour: string; // of the ring on the water
  group: string;
} & (
  | { act: "look" | "remove" }
  | { act: "touch" | "hold"; touching: Touching } // with a brush; by a body
  | { act: "drop"; prop: Prop }
  | { act: "spring"; sign: 1 | -1 }
);

const WATER = "#4cc3ff", GROUND = "#e8b04a", THINGS = "#ffd9a0", HANDS = "#ffffff";

const brush = (touching: Touching, label: string, key: string, group: string, colour: string, tip: string): Tool =>
  ({ name: touching, label, key, tip, colour, group, act: "touch", touching });
const hold = (touching: Touching, label: string, key: string, tip: string): Tool =>
  ({ name: touching, label, key, tip, colour: HANDS, group: "Hands", act: "hold", touching });
const drop = (prop: Prop, key: string, tip: string): Tool =>
  ({ name: prop, label: prop[0].toUpperCase() + prop.slice(1), key, tip, colour: THINGS, group: "Things", act: "drop", prop });

export const TOOLS: readonly [Tool, ...Tool[]] = [
  { name: "look", label: "Look", key: "v", tip: "Drag to turn the view.", colour: HANDS, group: "View", act: "look" },
  brush("pour", "Pour", "1", "Water", WATER, "Hold to pour water."),
  brush("drain", "Drain", "2", "Water", WATER, "Hold to suck water away."),
  brush("rain", "Rain", "3", "Water", WATER, "Hold to let it rain under the hand."),
  brush("push", "Push", "4", "Water", WATER, "Drag to push the water along."),
  brush("dye", "Dye", "5", "Water", "#ff6fae", "Hold to colour the water, and see where it goes."),
  brush("dig", "Dig", "6", "Ground", GROUND, "Hold to dig into the ground."),
  brush("raise", "Raise", "7", "Ground", GROUND, "Hold to heap ground up: a dam, an island."),
  brush("smooth", "Smooth", "8", "Ground", GROUND, "Hold to smooth the ground."),
  drop("crate", "c", "Click to drop a crate; drag to turn it."),
  drop("log", "l", "Click to drop a log; drag to turn it."),
  drop("boulder", "b", "Click to drop a boulder."),
  drop("ball", "o", "Click to drop a ball."),
  drop("car", "k", "Click to drop a car; drag to turn it."),
  drop("gate", "t", "Click to set a gate; drag to turn it.  Lift opens it."),
  hold("grab", "Grab", "g", "Drag a body about; the wheel raises and lowers it."),
  hold("lift", "Lift", "f", "Drag a gate up or down; it stays where you leave it."),
  { name: "remove", label: "Remove", key: "x", tip: "Click a body, a spring or a sink to take it away.", colour: "#ff8a7a", group: "Hands", act: "remove" },
  { name: "spring", label: "Spring", key: "e", tip: "Click to set a spring that goes on flowing.", colour: WATER, group: "Lasting", act: "spring", sign: 1 },
  { name: "sink", label: "Sink", key: "q", tip: "Click to set a drain that goes on taking water.", colour: WATER, group: "Lasting", act: "spring", sign: -1 },
];
