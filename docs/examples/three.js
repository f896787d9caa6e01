import { Runtime } from 'lanewise/runtime';
import { attribute, vec3 } from 'three/tsl';
import * as THREE from 'three/webgpu';

const renderer = new THREE.WebGPURenderer({ canvas: document.querySelector('canvas') });
await renderer.init();
// The declared type of a backend lacks most of its members.
const backend = /** @type {any} */ (renderer.backend);

// Three.js creates the buffer of the heights: one float for each point.
const count = 64;
const heights = new THREE.StorageBufferAttribute(count, 1);
backend.createStorageAttribute(heights);
const places = new Float32Array(3 * count).map((_, at) => (at % 3 === 0 ? (2 * at) / 3 - count + 1 : 0) / count);
const geometry = new THREE.BufferGeometry();
geometry.setAttribute('position', new THREE.BufferAttribute(places, 3));
geometry.setAttribute('height', heights);
const material = new THREE.PointsNodeMaterial({ color: 'white' });
material.positionNode = attribute('position', 'vec3').add(vec3(0, attribute('height', 'float'), 0));
const scene = new THREE.Scene().add(new THREE.Points(geometry, material));
scene.children[0].frustumCulled = false;
const camera = new THREE.OrthographicCamera(-1, 1, 1, -1, -1, 1);

// A kernel of Lanewise adds the speed of each point to its height.
const rt = await Runtime.open({ device: backend.device });
const saxpy = (await rt.load(await (await fetch('saxpy.ptx')).text())).kernel('saxpy');
const speeds = rt.alloc(4 * count);
speeds.write(Float32Array.from({ length: count }, (_, at) => at / count));
const shared = rt.adopt(backend.get(heights).buffer);
let time = 0;
renderer.setAnimationLoop((now) => {
  const seconds = Math.min((now - time) / 1000, 0.1);
  time = now;
  saxpy.launch({ grid: 1, block: count }, [count, seconds, speeds, shared]);
  rt.flush();
  renderer.render(scene, camera);
});

export { heights, renderer };
