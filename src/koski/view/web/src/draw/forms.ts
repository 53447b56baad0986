import * as THREE from "three";
import type { PartInfo } from "../messages";

/** Unit shapes, that shaders stretch: sides of 2, radii of 1, axes along z. */
export const FORMS: Record<string, () => THREE.BufferGeometry> = {
  box: () => withEnds(new THREE.BoxGeometry(2, 2, 2)),
  sphere: () => withEnds(upright(new THREE.SphereGeometry(1, 40, 24))),
  cylinder: () => withEnds(upright(new THREE.CylinderGeometry(1, 1, 2, 32, 1))),
  capsule: () => capsule(),
};

/** A surface of triangles of its own, with flat faces. */
export function meshForm(part: PartInfo): THREE.BufferGeometry {
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.Float32BufferAttribute(part.vertices, 3));
  made.setIndex(part.faces);
  const flat = made.toNonIndexed();
  flat.computeVertexNormals();
  return withEnds(flat);
}

/** Half the sides of a part, for how it is stretched and seen. */
export function halves(part: PartInfo): { grow: [number, number, number]; stretch: number } {
  const [a, b, c] = part.size;
  switch (part.shape) {
    case "box": return { grow: [a / 2, b / 2, c / 2], stretch: 0 };
    case "sphere": return { grow: [a, a, a], stretch: 0 };
    case "cylinder": return { grow: [a, a, b / 2], stretch: 0 };
    case "capsule": return { grow: [a, a, a], stretch: b / 2 };
    case "mesh": return { grow: [1, 1, 1], stretch: 0 };
  }
}

/** Half the box about a part, and the middle of it. */
export function bounds(part: PartInfo): { half: number[]; middle: number[] } {
  const { grow, stretch } = halves(part);
  if (part.shape !== "mesh") return { half: [grow[0], grow[1], grow[2] + stretch], middle: [0, 0, 0] };
  const box = new THREE.Box3().setFromArray(part.vertices);
  return { half: box.getSize(new THREE.Vector3()).multiplyScalar(0.5).toArray(), middle: box.getCenter(new THREE.Vector3()).toArray() };
}

function upright(made: THREE.BufferGeometry): THREE.BufferGeometry {
  return made.rotateX(Math.PI / 2);
}

function withEnds(made: THREE.BufferGeometry, end?: Float32Array): THREE.BufferGeometry {
  made.setAttribute("end", new THREE.BufferAttribute(end ?? new Float32Array(made.attributes.position.count), 1));
  made.deleteAttribute("uv");
  return made;
}

function capsule(): THREE.BufferGeometry {
  const ball = upright(new THREE.SphereGeometry(1, 32, 21)); // an odd number of rings: none at the equator
  const z = ball.attributes.position;
  return withEnds(ball, Float32Array.from({ length: z.count }, (_, k) => Math.sign(z.getZ(k))));
}
