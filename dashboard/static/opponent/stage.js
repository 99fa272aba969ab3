/**
 * The stage: renderer, camera, lights, and the loop that draws no more than it must.
 */

import {
  AdditiveBlending,
  ACESFilmicToneMapping,
  BackSide,
  BoxGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  PMREMGenerator,
  PointLight,
  Scene,
  SphereGeometry,
  WebGLRenderer,
} from 'three';
import { Figure } from './figure.js';
import { isSoftware, plain, rich } from './materials.js';
import { Motion } from './motion.js';
import { STATE_LIGHT } from './palettes.js';
import { blob, contact, props, table } from './table.js';

/** Frames a second at rest, and while something happens. */
const CALM = 30;
const LIVELY = 60;
/** A mean frame longer than this, in milliseconds, lowers the quality by a step. */
const SLOW = 60;
/** One longer than this at the lowest quality ends the figure: a portrait is better. */
const HOPELESS = 330;
/** What a processor may be asked to paint per frame, and how often. */
const MODEST_PIXELS = 230_000;
const MODEST = { calm: 12, lively: 24 };

/** Soft boxes of light all around, for reflections. @param {WebGLRenderer} renderer */
function surroundings(renderer) {
  const room = new Scene();
  const add = (
    /** @type {string} */ color,
    /** @type {number} */ power,
    /** @type {[number, number, number]} */ at,
    /** @type {[number, number, number]} */ size,
  ) => {
    const mesh = new Mesh(
      new BoxGeometry(...size),
      new MeshBasicMaterial({ color: new Color(color).multiplyScalar(power) }),
    );
    mesh.position.set(...at);
    mesh.lookAt(0, 0, 0);
    room.add(mesh);
  };
  room.add(new Mesh(new SphereGeometry(10, 16, 12), new MeshBasicMaterial({ color: '#232b2a', side: BackSide })));
  add('#fff1dc', 7, [-4, 5, 4], [3, 3, 0.1]);
  add('#cfe2ff', 3, [5, 2.5, 2], [1.2, 4, 0.1]);
  add('#ffe2b8', 3, [0, 6, -3], [5, 1.2, 0.1]);
  add('#1f4a39', 1.2, [0, -4, 2], [8, 8, 0.1]);
  const generator = new PMREMGenerator(renderer);
  const target = generator.fromScene(room, 0.04);
  generator.dispose();
  room.traverse((part) => {
    if (part instanceof Mesh) {
      part.geometry.dispose();
      part.material.dispose();
    }
  });
  return target;
}

/** A canvas to draw on. Software renderers get one without smoothing of edges, and a modest scene. */
function open(/** @type {'auto'|'rich'|'plain'} */ quality) {
  const attempt = (/** @type {boolean} */ antialias) => {
    const canvas = document.createElement('canvas');
    return {
      canvas,
      context: /** @type {WebGL2RenderingContext} */ (
        canvas.getContext('webgl2', { alpha: true, antialias, stencil: false, powerPreference: 'low-power' })
      ),
    };
  };
  const first = attempt(true);
  if (quality === 'rich' || (quality === 'auto' && !isSoftware(first.context))) return { ...first, modest: false };
  first.context.getExtension('WEBGL_lose_context')?.loseContext();
  return { ...attempt(false), modest: true };
}

export class Stage {
  /**
   * @param {HTMLElement} container @param {import('./personas.js').Persona} persona
   * @param {() => void} onLost called if the graphics context goes away, or drawing is too slow to be of use
   * @param {'auto'|'rich'|'plain'} quality
   */
  constructor(container, persona, onLost, quality) {
    this.container = container;
    this.persona = persona;
    this.motion = new Motion(persona);
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(24, 1, 0.5, 30);
    const { context, canvas, modest } = open(quality);
    this.modest = modest;
    this.renderer = new WebGLRenderer({ canvas, context, alpha: true });
    this.figure = new Figure(persona, modest ? plain : rich, modest ? 1.5 : 1);
    this.onLost = onLost;
    this.quality = modest ? 0 : 2;
    this.stopped = false;
    this.frame = 0;
    this.last = 0;
    this.cost = 0;
    this.drawn = 0;
    this.onScreen = true;
    this.tint = new Color(persona.palette.light);
    this.aimTint = new Color(persona.palette.light);
    this.prepare();
    this.light();
    this.furnish();
    this.watch();
  }

  prepare() {
    const { renderer, container } = this;
    renderer.toneMapping = ACESFilmicToneMapping;
    renderer.toneMappingExposure = 1.0;
    renderer.shadowMap.enabled = !this.modest;
    renderer.shadowMap.type = PCFShadowMap;
    const canvas = renderer.domElement;
    canvas.style.display = 'block';
    canvas.style.position = 'absolute';
    canvas.style.inset = '0';
    canvas.style.opacity = '0';
    canvas.style.transition = 'opacity .6s';
    canvas.setAttribute('aria-hidden', 'true');
    container.append(canvas);
    if (this.modest) return;
    this.room = surroundings(renderer);
    this.scene.environment = this.room.texture;
    this.scene.environmentIntensity = 0.55;
  }

  light() {
    const key = new DirectionalLight('#fff0dc', 2.3);
    key.position.set(-2.2, 3.6, 3.4);
    key.target.position.set(0, 0.8, 0);
    key.castShadow = !this.modest;
    key.shadow.mapSize.set(1024, 1024);
    key.shadow.bias = -0.0006;
    key.shadow.normalBias = 0.02;
    key.shadow.radius = 4;
    Object.assign(key.shadow.camera, { left: -1.7, right: 1.7, top: 1.9, bottom: -1.6, near: 1, far: 9 });
    this.key = key;
    const rim = new DirectionalLight('#ffffff', 3.2);
    rim.position.set(2.6, 2.4, -2.6);
    const back = new DirectionalLight('#ffffff', 2.2);
    back.position.set(-2.8, 1.8, -2.4);
    const pool = new PointLight('#ffffff', 2.2, 5, 1.6);
    pool.position.set(1.3, 0.5, 1.6);
    const fill = new DirectionalLight('#ffe9cf', 0.75);
    fill.position.set(2.4, 1.6, 4);
    this.tinted = [rim, back, pool];
    this.scene.add(key, fill, rim, back, pool, new HemisphereLight('#e6ecf2', '#3b4f44', this.modest ? 1.15 : 0.6));
    const glow = new Mesh(
      new PlaneGeometry(5.4, 5.0),
      new MeshBasicMaterial({
        map: blob('rgba(255,255,255,.5)', 'rgba(255,255,255,0)'),
        transparent: true,
        blending: AdditiveBlending,
        depthWrite: false,
        toneMapped: false,
      }),
    );
    glow.position.set(0, 1.35, -1.6);
    this.glow = glow;
    this.scene.add(glow);
  }

  furnish() {
    const paint = this.modest ? plain : rich;
    this.scene.add(table(paint), props(paint), this.figure.group);
    this.shadows = [contact(), contact()];
    this.scene.add(...this.shadows);
  }

  /** Listens for what changes how much is to be drawn. */
  watch() {
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(this.container);
    this.seeing = new IntersectionObserver((entries) => {
      this.onScreen = entries[entries.length - 1].isIntersecting;
      this.wake();
    });
    this.seeing.observe(this.container);
    this.onVisibility = () => this.wake();
    document.addEventListener('visibilitychange', this.onVisibility);
    this.onContextLost = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.onLost();
    };
    this.renderer.domElement.addEventListener('webglcontextlost', this.onContextLost);
    this.resize();
  }

  /** Sculpts the figure; the canvas fades in when it is whole. */
  async open() {
    await this.figure.build(() => this.stopped);
    if (this.stopped) return;
    this.ready = true;
    this.draw(0);
    this.renderer.domElement.style.opacity = '1';
    this.wake();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (!width || !height) return;
    const small = Math.min(width, height) < 420;
    const cap = this.quality === 0 ? 1 : small ? 1.5 : 2;
    const share = this.modest ? Math.sqrt(MODEST_PIXELS / (width * height)) : cap;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, cap, share));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    const tall = 2.42;
    const wide = 2.1;
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const far = Math.max(tall / 2 / half, wide / 2 / half / this.camera.aspect) + 0.5;
    this.camera.position.set(0, 1.55, far);
    this.camera.lookAt(0, 1.12, 0.1);
    this.camera.updateProjectionMatrix();
    if (this.ready) this.draw(0);
  }

  /** Starts the loop if there is anybody to see it. */
  wake() {
    if (this.frame || this.stopped || !this.ready || document.hidden || !this.onScreen) return;
    this.last = performance.now();
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  tick(/** @type {number} */ now) {
    this.frame = 0;
    if (this.stopped || document.hidden || !this.onScreen) return;
    this.frame = requestAnimationFrame((next) => this.tick(next));
    const { calm, lively } = this.modest ? MODEST : { calm: CALM, lively: LIVELY };
    const wait = 1000 / (this.motion.busy ? lively : calm);
    const gap = now - this.last;
    if (gap < wait - 2) return;
    this.last = now;
    this.draw(Math.min(0.1, gap / 1000));
    this.judge(gap, wait);
  }

  /** Lowers the quality when frames come too slowly for a while, and gives up when nothing helps. */
  judge(/** @type {number} */ gap, /** @type {number} */ wait) {
    this.drawn++;
    this.cost += (Math.min(gap, 400) - this.cost) * 0.08;
    if (this.drawn < 20) return;
    if (this.quality === 0 && this.cost > HOPELESS) this.onLost();
    if (this.quality === 0 || this.cost < Math.max(SLOW, wait)) return;
    this.drawn = 0;
    this.quality--;
    if (this.quality === 1) this.key?.shadow.mapSize.set(512, 512);
    if (this.quality === 0) this.renderer.shadowMap.enabled = false;
    if (this.key) {
      this.key.castShadow = this.quality > 0;
      this.key.shadow.map?.dispose();
      this.key.shadow.map = null;
    }
    this.resize();
  }

  /** One frame, `dt` seconds after the one before. */
  draw(/** @type {number} */ dt) {
    const pose = this.motion.step(dt);
    this.figure.apply(pose, this.motion.blink, this.motion.breath ?? 0);
    this.tint.lerp(this.aimTint, 1 - Math.exp(-dt * 4));
    const heat = this.motion.tension / 100;
    for (const light of this.tinted ?? []) light.color.copy(this.tint);
    if (this.tinted) this.tinted[2].intensity = (this.motion.state === 'idle' ? 1.4 : 3) + heat;
    /** @type {MeshBasicMaterial | undefined} */ (this.glow?.material)?.color
      .copy(this.tint)
      .multiplyScalar(this.motion.state === 'idle' ? 0.3 : 0.5);
    this.shadows?.forEach((spot, i) => {
      const key = i ? 'r' : 'l';
      const high = Math.max(0, pose[`${key}Y`] - 0.05);
      spot.position.x = (i ? -1 : 1) * (pose[`${key}X`] + 0.03);
      spot.position.z = pose[`${key}Z`] + 0.08;
      spot.scale.setScalar(0.5 + high * 0.9);
      /** @type {MeshBasicMaterial} */ (spot.material).opacity = Math.max(0, 0.9 - high * 1.8);
    });
    this.renderer.render(this.scene, this.camera);
  }

  /** @param {import('./poses.js').State} state */
  setState(state) {
    this.motion.setState(state);
    this.aimTint.set(STATE_LIGHT[state] ?? this.persona.palette.light);
    this.wake();
  }

  dispose() {
    this.stopped = true;
    cancelAnimationFrame(this.frame);
    this.resizing?.disconnect();
    this.seeing?.disconnect();
    if (this.onVisibility) document.removeEventListener('visibilitychange', this.onVisibility);
    const canvas = this.renderer.domElement;
    if (this.onContextLost) canvas.removeEventListener('webglcontextlost', this.onContextLost);
    this.scene.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      part.geometry.dispose();
      for (const material of [part.material].flat()) {
        material.map?.dispose();
        material.dispose();
      }
    });
    this.key?.dispose();
    this.room?.dispose();
    this.renderer.dispose();
    canvas.remove();
  }
}
