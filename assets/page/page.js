// A recorded run in a browser: unpacks the columns of `app/page/columns.py`, draws the frames with the shaders of the
// window, and shows times, readings, plots and parameters. Everything is in the page: it asks no network, stores nothing,
// and shows every text as text. Lengths in metres; places are whole numbers of a quantum.
"use strict";

// ---- the stream ------------------------------------------------------------------------------------------------------

// The content of the compressed text in base64; null if the browser cannot unpack it.
async function unpackedText(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return unpacked(bytes);
}

async function unpacked(bytes) {
  if (typeof DecompressionStream === "undefined") return null;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return readStream(new Uint8Array(await new Response(stream).arrayBuffer()));
}

// Plain data and columns: each a typed array with its shape.
function readStream(content) {
  const length = new DataView(content.buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(content.subarray(4, 4 + length)));
  const columns = {};
  let place = 4 + length;
  for (const entry of data.columns) {
    const count = entry.shape.reduce((product, side) => product * side, 1);
    if (!entry.width) {
      columns[entry.name] = { shape: entry.shape, values: new Float32Array(content.slice(place, place + 4 * count).buffer) };
      place += 4 * count;
      continue;
    }
    const kind = entry.low >= 0 && entry.high < 256 ? Uint8Array : Math.max(-entry.low, entry.high) < 32768 ? Int16Array : Int32Array;
    const values = new kind(count);
    const stride = entry.shape.length ? count / Math.max(entry.shape[0], 1) : 1;
    for (let at = 0; at < count; at++) {
      let code = 0;
      for (let k = 0; k < entry.width; k++) code += content[place + k * count + at] * 2 ** (8 * k);
      const step = code % 2 ? -(code + 1) / 2 : code / 2;
      const order = Math.min(entry.order, Math.floor(at / stride)), before = order ? values[at - stride] : 0;
      values[at] = step + (order < 2 ? before : 2 * before - values[at - 2 * stride]);
    }
    place += entry.width * count;
    columns[entry.name] = { shape: entry.shape, values };
  }
  return { data, columns };
}

// Tables of different lengths, of which only the differences are stored: the table of every frame.
function readTables(columns, name) {
  if (!columns[name]) return null;
  const lengths = columns[name + " lengths"].values, steps = columns[name].values, tables = [];
  let place = 0, before = new Int32Array(0);
  for (const length of lengths) {
    if (length >= 0) {
      const table = new Int32Array(steps.subarray(place, place + length));
      if (length === before.length) for (let k = 0; k < length; k++) table[k] += before[k];
      place += length;
      before = table;
    }
    tables.push(before);
  }
  return tables;
}

// ---- cameras ---------------------------------------------------------------------------------------------------------

// The camera of a frame for a picture of a size [pixel]: it shows all that a picture of the recorded size shows.
function cameraOf(run, frame, size) {
  const pose = run.row("camera", frame), [width, height] = run.data.size;
  const fit = Math.min(size[0] / width, size[1] / height);
  if (run.data.dimension === 2) return { centre: [pose[0], pose[1]], pixel: pose[2] / fit, tilt: pose[3] };
  return {
    target: [pose[0], pose[1], pose[2]], distance: (pose[3] * size[1]) / (height * fit), azimuth: pose[4], elevation: pose[5],
    offset: [pose[6] * fit, pose[7] * fit], tilt: pose[8],
  };
}

const FOV = (28 * Math.PI) / 180, NEAR = 0.02;
const focalOf = (size) => (0.5 * size[1]) / Math.tan(0.5 * FOV);

// Unit vectors right, up and back of the eye, as rows.
function axesOf(camera) {
  const [sa, ca] = [Math.sin(camera.azimuth), Math.cos(camera.azimuth)], [se, ce] = [Math.sin(camera.elevation), Math.cos(camera.elevation)];
  const rows = [[-sa, ca, 0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]];
  const [c, s] = [Math.cos(camera.tilt), Math.sin(camera.tilt)];
  return rows.map(([x, y, z]) => [x * c - z * s, y, x * s + z * c]);
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const eyeOf = (camera, axes) => camera.target.map((x, k) => x + camera.distance * axes[2][k]);

function pan(run, camera, dx, dy, size) {
  if (run.data.dimension === 2) {
    const [c, s] = [Math.cos(camera.tilt), Math.sin(camera.tilt)], [x, y] = [-dx * camera.pixel, dy * camera.pixel];
    camera.centre = [camera.centre[0] + c * x - s * y, camera.centre[1] + s * x + c * y];
    return;
  }
  const axes = axesOf(camera), pixel = camera.distance / focalOf(size);
  camera.target = camera.target.map((x, k) => x + (dy * axes[1][k] - dx * axes[0][k]) * pixel);
}

// Magnify; what is under the pixel (x, y from the middle, y down) stays there.
function zoom(run, camera, factor, x, y, size) {
  const shift = 1 - 1 / factor;
  if (run.data.dimension === 2) {
    pan(run, camera, -x * shift, -y * shift, size);
    camera.pixel /= factor;
    return;
  }
  pan(run, camera, -(x - camera.offset[0]) * shift, -(y - camera.offset[1]) * shift, size);
  camera.distance /= factor;
}

function orbit(camera, dx, dy, size) {
  camera.azimuth -= (dx * Math.PI) / size[1];
  camera.elevation = Math.min(Math.max(camera.elevation + (dy * Math.PI) / size[1], -Math.PI / 2), Math.PI / 2);
}

// ---- drawing ---------------------------------------------------------------------------------------------------------

const PASSES = {
  discs: [2, 1, 4, 4, 1], lines: [4, 1, 4], spheres: [3, 1, 4, 4, 4, 4, 2], strokes: [3, 3, 2, 4], facets: [3, 3, 3, 4],
  ground: [4, 1, 3, 4, 4], shadows: [3, 2, 2],
};
const HEAD = "#version 300 es\nprecision highp float;\nprecision highp int;\n";
const SHOW = {
  vertex: HEAD + "out vec2 place; void main() { place = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0; gl_Position = vec4(place * 2.0 - 1.0, 0.0, 1.0); }",
  fragment: HEAD + `in vec2 place; uniform sampler2D picture; out vec4 light;
    void main() {
      vec3 c = texture(picture, place).rgb;
      light = vec4(mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(vec3(0.0031308), c)), 1.0);
    }`,
};

// Rows of numbers for a shader, which grow as they are written.
class Rows {
  constructor(length) { this.length = length; this.count = 0; this.values = new Float32Array(1024 * length); }
  next() {
    if ((this.count + 1) * this.length > this.values.length) {
      const larger = new Float32Array(2 * this.values.length);
      larger.set(this.values);
      this.values = larger;
    }
    this.at = this.count++ * this.length;
    return this;
  }
  put(place, ...numbers) { this.values.set(numbers, this.at + place); return this; }
}

class Painter {
  constructor(canvas, shaders) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, depth: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.programs = {};
    for (const name of Object.keys(PASSES)) {
      const source = shaders[name];
      this.programs[name] = this.program(HEAD + "#define VERTEX\n" + source, HEAD + "#define FRAGMENT\n" + source);
      this.programs[name].array = this.array(PASSES[name]);
    }
    this.shown = this.program(SHOW.vertex, SHOW.fragment);
    this.empty = gl.createVertexArray();
    this.framebuffer = gl.createFramebuffer();
    this.texture = gl.createTexture();
    this.depth = gl.createRenderbuffer();
    this.size = [0, 0];
  }
  program(vertex, fragment) {
    const gl = this.gl, handle = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(handle, shader);
    }
    gl.linkProgram(handle);
    if (!gl.getProgramParameter(handle, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(handle));
    const uniforms = {};
    for (let k = 0; k < gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS); k++) {
      const { name } = gl.getActiveUniform(handle, k);
      uniforms[name] = gl.getUniformLocation(handle, name);
    }
    return { handle, uniforms };
  }
  array(lengths) {
    const gl = this.gl, handle = gl.createVertexArray(), buffer = gl.createBuffer();
    const row = lengths.reduce((sum, length) => sum + length, 0);
    gl.bindVertexArray(handle);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    let offset = 0;
    lengths.forEach((length, location) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, length, gl.FLOAT, false, 4 * row, 4 * offset);
      gl.vertexAttribDivisor(location, 1);
      offset += length;
    });
    return { handle, buffer, row };
  }
  // Begin a picture in a framebuffer that stores sRGB and blends in linear light.
  begin(size, background, deep) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.framebuffer);
    if (size[0] !== this.size[0] || size[1] !== this.size[1]) {
      this.size = [...size];
      gl.bindTexture(gl.TEXTURE_2D, this.texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, ...size, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
      gl.bindRenderbuffer(gl.RENDERBUFFER, this.depth);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, ...size);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, this.depth);
    }
    gl.viewport(0, 0, ...size);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(...background, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | (deep ? gl.DEPTH_BUFFER_BIT : 0));
    gl.depthFunc(gl.LEQUAL);
  }
  draw(name, rows, uniforms, depth = "ignored") {
    if (!rows.count) return;
    const gl = this.gl, program = this.programs[name];
    gl.useProgram(program.handle);
    for (const [uniform, value] of Object.entries(uniforms)) {
      const place = program.uniforms[uniform];
      if (!place) continue;
      if (value.length === 16) gl.uniformMatrix4fv(place, true, value);
      else if (Array.isArray(value)) gl[`uniform${value.length}f`](place, ...value);
      else gl.uniform1f(place, value);
    }
    if (depth === "ignored") gl.disable(gl.DEPTH_TEST);
    else {
      gl.enable(gl.DEPTH_TEST);
      gl.depthMask(depth === "kept");
    }
    gl.bindVertexArray(program.array.handle);
    gl.bindBuffer(gl.ARRAY_BUFFER, program.array.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, rows.values.subarray(0, rows.count * rows.length), gl.STREAM_DRAW);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, rows.count);
  }
  end() {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, ...this.size);
    gl.disable(gl.BLEND);
    gl.disable(gl.DEPTH_TEST);
    gl.useProgram(this.shown.handle);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }
}

const linear = (byte) => { const c = byte / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const LINEAR = Float32Array.from({ length: 256 }, (_, byte) => linear(byte));
const mixed = (a, b, share) => a.map((x, k) => share * x + (1 - share) * b[k]);
const between = (x, low, high) => Math.min(Math.max(x, low), high);

// A run: columns by name, and the numbers of one frame.
class Run {
  constructor({ data, columns }) {
    this.data = data;
    this.columns = columns;
    this.frames = columns.there.shape[0];
    this.spheres = columns.there.shape[1];
    this.tables = {};
    for (const name of ["bonds", "joints", "liquid", "facets", "ghosts", "edges", "cells", "ground", "shadows"]) this.tables[name] = readTables(columns, name);
    this.edges = this.parts("edges of facets");
    this.cells = this.parts("cells of ground");
    const counts = columns["contact counts"].values;
    this.firstContact = [0];
    for (const count of counts) this.firstContact.push(this.firstContact.at(-1) + count);
  }
  parts(name) {
    let place = 0;
    return [...this.columns[name + " counts"].values].map((count) => this.columns[name].values.subarray(place, (place += count)));
  }
  // The numbers of a frame of a column with the shape (frames, ...).
  row(name, frame) {
    const column = this.columns[name];
    if (!column) return null;
    const stride = column.values.length / this.frames;
    return column.values.subarray(frame * stride, (frame + 1) * stride);
  }
  table(name, frame) { return this.tables[name] ? this.tables[name][frame] : new Int32Array(0); }
  // Face colour of every sphere, linear light.
  faces(frame, colour) {
    const { palette, drawing } = this.data, faces = new Float32Array(3 * this.spheres), own = this.columns.own.values;
    const shares = this.span(frame, colour) >= 0 ? this.row("of " + colour, frame) : null, fixed = this.row("fixed", frame);
    const map = this.columns.map.values, [first, last] = palette.trim;
    for (let k = 0; k < this.spheres; k++) {
      if (shares && !fixed[k]) {
        const row = 3 * Math.round((first + ((last - first) * shares[k]) / drawing.shades) * 255);
        faces.set(map.subarray(row, row + 3), 3 * k);
      } else if (fixed[k]) faces.set(palette.fixed, 3 * k);
      else for (let c = 0; c < 3; c++) faces[3 * k + c] = LINEAR[own[3 * k + c]];
    }
    return faces;
  }
  span(frame, colour) { const spans = this.columns["span " + colour]; return spans ? spans.values[frame] : -1; }
  // Contacts of a frame: both spheres and strength in mean forces, the weakest first.
  contacts(frame) {
    const { columns } = this, [begin, end] = [this.firstContact[frame], this.firstContact[frame + 1]], found = [];
    let i = 0;
    for (let k = begin; k < end; k++) {
      i += columns["contact i"].values[k];
      const strength = (columns["contact strength"].values[k] * this.data.drawing.chain[1]) / this.data.drawing.strengths;
      found.push([i, i + columns["contact j"].values[k], strength]);
    }
    return found.sort((a, b) => a[2] - b[2]);
  }
  // The nearest image of a place to another one, along periodic dimensions.
  near(from, to) {
    if (!this.data.boundary) return to;
    return to.map((x, c) => { const period = this.data.boundary[1][c]; return period ? x - period * Math.round((x - from[c]) / period) : x; });
  }
}

// One frame with what is drawn of it.
class Scene {
  constructor(run, frame, colour, chains) {
    Object.assign(this, { run, frame, colour, chains });
    const q = run.data.quantum;
    this.there = run.row("there", frame);
    this.axes = ["x", "y", "z"].slice(0, run.data.dimension).map((name) => run.row(name, frame));
    this.sizes = run.row("radius", frame);
    this.fixed = run.row("fixed", frame);
    this.used = run.row("used", frame);
    this.place = (k) => this.axes.map((axis) => axis[k] * q);
    this.radius = (k) => (this.sizes[k] * q) / 4;
    this.faces = run.faces(frame, colour);
    this.face = (k) => [this.faces[3 * k], this.faces[3 * k + 1], this.faces[3 * k + 2]];
  }
  *shown() { for (let k = 0; k < this.run.spheres; k++) if (this.there[k]) yield k; }
}

function paintPlane(painter, scene, camera, size, scale, plain) {
  const { run, frame, chains } = scene, { palette, drawing, relief, quantum, boundary } = run.data;
  const pixel = camera.pixel, spheres = [...scene.shown()];
  const look = run.span(frame, scene.colour) >= 0 ? relief.quantity : relief.own;
  const uniforms = { camera_centre: camera.centre, camera_turn: [Math.cos(camera.tilt), Math.sin(camera.tilt)], metres_per_pixel: pixel, framebuffer: size, relief: look };
  const draw = (name, write) => { const rows = new Rows(PASSES[name].reduce((a, b) => a + b)); write(rows); painter.draw(name, rows, uniforms); };
  const line = (rows, a, b, width, colour, alpha) => rows.next().put(0, a[0], a[1], b[0], b[1], width, ...colour, alpha);
  const liquid = run.table("liquid", frame);
  if (liquid.length) draw("lines", (rows) => {
    const reach = 2 * pixel * Math.max(...size), [x, y] = camera.centre, bottom = Math.max(liquid[0] * quantum, y - reach), level = liquid[1] * quantum;
    const upper = Math.min(level, y + reach), half = (upper - bottom) / 2;
    if (half <= 0) return;
    line(rows, [x - reach - half, bottom + half], [x + reach + half, bottom + half], (2 * half) / pixel, palette.water, drawing.liquid[0]);
    line(rows, [x - reach, level], [x + reach, level], drawing.liquid[2] * scale, palette.water, drawing.liquid[1]);
  });
  draw("discs", (rows) => {
    for (const k of spheres) if (scene.fixed[k]) rows.next().put(0, ...scene.place(k), scene.radius(k) + drawing.band * scale * pixel, ...palette.solid, 1);
  });
  const facets = run.table("facets", frame);
  draw("lines", (rows) => {
    for (let k = 0; k < facets.length; k += 4) line(rows, [facets[k] * quantum, facets[k + 1] * quantum], [facets[k + 2] * quantum, facets[k + 3] * quantum], drawing.wall * scale, palette.fixed, 1);
  });
  draw("discs", (rows) => {
    for (const k of spheres) if (run.columns.wet.values[k]) rows.next().put(0, ...scene.place(k), drawing.wet[0] * scene.radius(k), ...scene.face(k).map((c) => c * drawing.wet[1]), 1);
  });
  const pairsOf = (name) => { const flat = run.table(name, frame), pairs = []; for (let k = 0; k < flat.length; k += 2) pairs.push([flat[k], flat[k + 1]]); return pairs; };
  const joints = pairsOf("joints");
  draw("lines", (rows) => {
    for (const [a, b] of [...pairsOf("bonds"), ...joints]) {
      let colour = scene.face(a).map((c) => c * drawing.bond[1]);
      if (chains) colour = mixed(colour, palette.background, drawing.dimmed);
      line(rows, scene.place(a), run.near(scene.place(a), scene.place(b)), (drawing.bond[0] * Math.min(scene.radius(a), scene.radius(b))) / pixel, colour, 1);
    }
  });
  if (boundary) paintImages(scene, draw, line, scale, pixel);
  draw("discs", (rows) => {
    for (const first of [1, 0]) for (const k of spheres) {
      if (scene.fixed[k] !== first) continue;
      let face = scene.face(k);
      if (chains) face = mixed(face, palette.background, drawing.dimmed);
      const radius = scene.radius(k);
      rows.next().put(0, ...scene.place(k), radius, ...face, 1, ...face.map((c) => c * palette.rim), 1, Math.min((0.12 * radius) / pixel, 1.6 * scale));
    }
  });
  const turn = run.row("turn", frame);
  if (turn && !chains) draw("lines", (rows) => {
    const [from, to, width, least, alpha, across] = drawing.mark, seen = (k) => !scene.fixed[k] && scene.radius(k) > least * pixel;
    const rim = (k) => scene.face(k).map((c) => c * palette.rim), joint = new Set(joints.flat());
    for (const k of spheres) {
      if (!seen(k) || joint.has(k)) continue;
      const angle = (turn[k] * 2 * Math.PI) / drawing.turn, radius = scene.radius(k), [x, y] = scene.place(k), [c, s] = [Math.cos(angle) * radius, Math.sin(angle) * radius];
      line(rows, [x + from * c, y + from * s], [x + to * c, y + to * s], (width * radius) / pixel, rim(k), alpha);
    }
    for (const [a, b] of joints) if (seen(a) && seen(b)) line(rows, scene.place(a), scene.place(b), (across * scene.radius(a)) / pixel, rim(a), alpha);
  });
  if (chains) draw("lines", (rows) => {
    const mean = run.columns["contact radius"].values[frame];
    for (const [i, j, strength] of run.contacts(frame)) {
      const a = scene.place(i);
      line(rows, a, run.near(a, scene.place(j)), (drawing.chain[0] * strength * mean) / pixel, palette.chain, between(0.35 + 0.4 * strength, 0, 1));
    }
  });
  if (scene.used && !plain) draw("discs", (rows) => {
    for (const [factor, colour] of [[2, palette.background], [1, palette.mark]]) for (const k of spheres) {
      if (!scene.used[k]) continue;
      const radius = scene.radius(k), width = between((0.18 * radius) / pixel, 1, 1.6 * scale);
      rows.next().put(0, ...scene.place(k), radius, 0, 0, 0, 0, ...colour, 1, factor * width);
    }
  });
}

// Borders of the cell of a periodic world, and thin outlines of the grains that are repeated beside it.
function paintImages(scene, draw, line, scale, pixel) {
  const { run } = scene, { palette, drawing, box, boundary } = run.data, [reach, face, outline, width, border, alpha] = drawing.image;
  const [lowest, period] = boundary, spheres = [...scene.shown()];
  draw("lines", (rows) => {
    for (let c = 0; c < 2; c++) if (period[c]) for (const place of [lowest[c], lowest[c] + period[c]]) {
      const [low, high] = [box[0].slice(0, 2), box[1].slice(0, 2)];
      low[c] = high[c] = place;
      line(rows, low, high, border * scale, palette.faint, alpha);
    }
  });
  const far = (reach * spheres.reduce((sum, k) => sum + scene.radius(k), 0)) / Math.max(spheres.length, 1);
  draw("discs", (rows) => {
    for (const [k, place] of imagesOf(scene, far)) {
      const colour = scene.face(k);
      rows.next().put(0, place[0], place[1], scene.radius(k), ...colour, face, ...colour, outline, width * scale);
    }
  });
}

// Spheres that have an image beside the cell up to a distance, and the places of these images.
function* imagesOf(scene, far) {
  const [lowest, period] = scene.run.data.boundary;
  for (const k of scene.shown()) {
    let places = [scene.place(k)];
    for (let c = 0; c < places[0].length; c++) if (period[c]) {
      for (const place of [...places]) for (const side of [-1, 1]) {
        const moved = [...place];
        moved[c] += side * period[c];
        if (moved[c] >= lowest[c] - far && moved[c] <= lowest[c] + period[c] + far) places.push(moved);
      }
    }
    for (const place of places.slice(1)) yield [k, place];
  }
}

function paintSpace(painter, scene, camera, size, scale) {
  const { run, frame, chains } = scene, { palette, drawing, quantum, box, boundary } = run.data;
  const axes = axesOf(camera), eye = eyeOf(camera, axes), focal = focalOf(size), near = NEAR * camera.distance;
  const view = [...axes.flatMap((axis) => [...axis, -dot(axis, eye)]), 0, 0, 0, 1];
  const [width, height] = size;
  const clip = [(2 * focal) / width, 0, (-2 * camera.offset[0]) / width, 0, 0, (2 * focal) / height, (2 * camera.offset[1]) / height, 0, 0, 0, -1, -2 * near, 0, 0, -1, 0];
  const uniforms = { world_to_view: view, view_to_clip: clip, focal, near, framebuffer: size, lamp: run.data.lamp, cut: [0, 0, 0, -1] };
  const draw = (name, depth, write) => { const rows = new Rows(PASSES[name].reduce((a, b) => a + b)); write(rows); painter.draw(name, rows, uniforms, depth); };
  const depth = (place) => dot([eye[0] - place[0], eye[1] - place[1], eye[2] - place[2]], axes[2]);
  const above = eye[2] > box[0][2], ground = run.table("ground", frame);
  if (above && ground.length) {
    const cells = run.cells[run.table("cells", frame)[0]];
    draw("ground", "ignored", (rows) => {
      for (let k = 0; 9 * k < cells.length; k++) {
        const cell = cells.subarray(9 * k, 9 * k + 9), light = ground.subarray(4 * k, 4 * k + 4);
        rows.next().put(0, ...cell.subarray(0, 5), ...palette.solid, ...[...light].map((step) => step / drawing.lights), ...cell.subarray(5));
      }
    });
    const dark = run.table("shadows", frame);
    if (!chains) draw("shadows", "ignored", (rows) => {
      for (let k = 0; k < dark.length; k += 6) {
        rows.next().put(0, dark[k] * quantum, dark[k + 1] * quantum, box[0][2], (dark[k + 2] * quantum) / 4, (dark[k + 3] * quantum) / 4, dark[k + 4] ? 1 / run.data.lamp[2] : 1, dark[k + 5] / drawing.strengths);
      }
    });
  }
  const spheres = [...scene.shown()].map((k) => [k, depth(scene.place(k))]).sort((a, b) => b[1] - a[1]);
  const turns = [0, 1, 2, 3].map((k) => run.row("q" + k, frame)), light = {};
  for (const name of ["crowding", "lamp", "sky", "away x", "away y", "away z"]) light[name] = run.row(name, frame);
  draw("spheres", "kept", (rows) => {
    for (const [k] of spheres) {
      const place = scene.place(k), radius = scene.radius(k), face = scene.face(k);
      if (chains) {
        rows.next().put(0, ...place, drawing.reduced[0] * radius, ...mixed(face, palette.background, drawing.reduced[1]), 1).put(20, 1, 1);
        continue;
      }
      rows.next().put(0, ...place, radius, ...face, 1);
      if (scene.used && scene.used[k]) {
        const ring = between((drawing.ring[0] * radius) / (camera.distance / focal), 0.7, drawing.ring[1] * scale);
        rows.put(8, ...mixed(palette.mark, face, drawing.ring[2]), ring);
      }
      if (turns[0] && !scene.fixed[k]) rows.put(12, ...turns.map((turn) => turn[k] / drawing.quaternion));
      rows.put(16, ...["away x", "away y", "away z"].map((name) => light[name][k] / drawing.sides), light.crowding[k] / drawing.lights, light.lamp[k] / drawing.lights, light.sky[k] / drawing.lights);
    }
  });
  if (chains) draw("strokes", "kept", (rows) => {
    const [relative, least, faint] = drawing.rod, mean = run.columns["contact radius"].values[frame];
    const rods = run.contacts(frame).map(([i, j, strength]) => { const a = scene.place(i), b = run.near(a, scene.place(j)); return [a, b, strength, depth(a.map((x, c) => (x + b[c]) / 2))]; });
    for (const [a, b, strength] of rods.sort((one, other) => other[3] - one[3])) {
      rows.next().put(0, ...a, ...b, relative * drawing.chain[0] * strength * mean, least * scale, ...mixed(palette.chain, palette.background, between(faint + 0.2 * strength, 0, 1)), 1);
    }
  });
  if (boundary) paintCell(scene, draw, depth, scale);
  const ghosts = run.table("ghosts", frame), shells = [];
  for (let k = 0; k < ghosts.length; k += 4) shells.push([...ghosts.subarray(k, k + 4)].map((x) => x * quantum));
  draw("spheres", "tested", (rows) => {
    for (const [x, y, z, radius] of shells.sort((a, b) => depth(b) - depth(a))) {
      rows.next().put(0, x, y, z, drawing.ghost[2] * radius, ...palette.mark, drawing.ghost[0], ...palette.mark, drawing.ghost[1] * scale).put(20, 1, 1);
    }
  });
  paintWalls(scene, draw, eye, depth, scale);
}

function paintWalls(scene, draw, eye, depth, scale) {
  const { run, frame } = scene, { palette, drawing, quantum, box } = run.data, corners = run.table("facets", frame), facets = [];
  const corner = (k) => [corners[3 * k] * quantum, corners[3 * k + 1] * quantum, corners[3 * k + 2] * quantum];
  for (let k = 0; 9 * k < corners.length; k++) facets.push([corner(3 * k), corner(3 * k + 1), corner(3 * k + 2)]);
  if (!facets.length) return;
  const level = drawing.facet[1] * (box[1][2] - box[0][2]);
  const raised = facets.filter((facet) => facet.some((place) => Math.abs(place[2] - box[0][2]) > level + quantum));
  const middle = (facet) => [0, 1, 2].map((c) => (facet[0][c] + facet[1][c] + facet[2][c]) / 3);
  draw("facets", "tested", (rows) => {
    for (const [facet] of raised.map((facet) => [facet, depth(middle(facet))]).sort((a, b) => b[1] - a[1])) rows.next().put(0, ...facet.flat(), ...palette.glass, drawing.facet[0]);
  });
  const front = facets.map(([a, b, c]) => {
    const [u, v] = [b.map((x, k) => x - a[k]), c.map((x, k) => x - a[k])];
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    return dot([eye[0] - a[0], eye[1] - a[1], eye[2] - a[2]], normal) > 0;
  });
  const edges = run.edges[run.table("edges", frame)[0]];
  draw("strokes", "tested", (rows) => {
    for (let k = 0; k < edges.length; k += 5) {
      const [first, second, one, other, permanent] = edges.subarray(k, k + 5);
      if (permanent || front[one] !== front[other]) rows.next().put(0, ...corner(first), ...corner(second), 0, drawing.edge[0] * scale, ...palette.faint, drawing.edge[1]);
    }
  });
}

// Edges of the cell of a periodic world in space, and shells of the grains that are repeated behind it.
function paintCell(scene, draw, depth, scale) {
  const { run } = scene, { palette, drawing, box, boundary } = run.data, [lowest, period] = boundary, [reach, face, , width, border, alpha] = drawing.image;
  const low = box[0].map((x, c) => (period[c] ? lowest[c] : x)), high = box[1].map((x, c) => (period[c] ? lowest[c] + period[c] : x));
  draw("strokes", "tested", (rows) => {
    for (let corner = 0; corner < 8; corner++) for (let c = 0; c < 3; c++) {
      if ((corner >> c) & 1) continue;
      const from = low.map((x, k) => ((corner >> k) & 1 ? high[k] : x)), to = [...from];
      to[c] = high[c];
      rows.next().put(0, ...from, ...to, 0, border * scale, ...palette.faint, alpha);
    }
  });
  const spheres = [...scene.shown()], far = (reach * spheres.reduce((sum, k) => sum + scene.radius(k), 0)) / Math.max(spheres.length, 1);
  const behind = [...imagesOf(scene, far)].map(([k, place]) => [k, place, depth(place)]).filter(([k, , away]) => away > depth(scene.place(k)));
  draw("spheres", "tested", (rows) => {
    for (const [k, place] of behind.sort((a, b) => b[2] - a[2])) {
      const colour = scene.face(k);
      rows.next().put(0, ...place, scene.radius(k), ...colour, face, ...colour, width * scale).put(20, 1, 1);
    }
  });
}

// ---- the page --------------------------------------------------------------------------------------------------------

function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null) made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

// A text with its scripts, as in k_n and N/m^1.5.
function scripted(text) {
  return text.split(/((?:(?<=(?<![\p{L}\p{N}_])\p{L})_|\^)[\p{L}\p{N}]+(?:\.[0-9]+)?)/u).map((piece, k) => (k % 2 ? element(piece[0] === "_" ? "sub" : "sup", {}, piece.slice(1)) : piece));
}

// The wishes in the address of a page: #frame=12&colour=speed&chains=1&lang=de&bare=1.
function wishesOf(hash) {
  const wishes = {};
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [name, value] = part.split("=");
    wishes[name] = value;
  }
  return wishes;
}

// Show a run in an element; `hash` is as in an address.
async function openPage(root, waiting, hash = "") {
  const wishes = wishesOf(hash);
  let content = null, trouble = null;
  try { content = await waiting; } catch (error) { trouble = "broken"; }
  if (!content) {
    root.append(element("p", { role: "alert" }, FALLBACK[trouble || "no_stream"].join(" ")));
    return null;
  }
  return new Page(root, new Run(content), wishes);
}

// Show the frames that the window around this one sends, which are packed like a page, and tell it when they can come
// and when to go on.
function followParent(page) {
  page.live = (run) => parent.postMessage({ run }, "*");
  addEventListener("message", async ({ source, data }) => {
    if (source !== parent) return;
    if (data instanceof ArrayBuffer) {
      page.follow(new Run(await unpacked(new Uint8Array(data))));
      parent.postMessage({ shown: true }, "*");
    } else if (data && data.pause) page.mark(false);
  });
  parent.postMessage({ ready: true }, "*");
}

class Page {
  constructor(root, run, wishes) {
    this.run = run;
    this.frame = between(parseInt(wishes.frame, 10) || 0, 0, run.frames - 1);
    this.bare = wishes.bare === "1";
    this.chains = wishes.chains ? wishes.chains === "1" : run.data.chains;
    this.colour = run.data.colours.some(([name]) => name === wishes.colour) ? wishes.colour : wishes.colour === "own" ? "automatic" : run.data.colour;
    const codes = run.data.languages.map(([code]) => code);
    const asked = [wishes.lang, ...(navigator.languages || [navigator.language])].map((code) => (code || "").slice(0, 2).toLowerCase());
    this.language = codes.indexOf(asked.find((code) => codes.includes(code)) || "en");
    this.camera = null;
    this.playing = false;
    this.plot = Math.max(run.data.plots.findIndex((plot) => plot.tab === run.data.plot || plot.name === run.data.plot), 0);
    this.root = root;
    (root.parentElement === document.body ? document : root).addEventListener("keydown", (event) => this.key(event));
    this.build();
    this.show();
    if (!this.bare && wishes.frame === undefined && run.frames > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
  }

  text(number) {
    const entry = this.run.data.texts[number];
    return Array.isArray(entry) ? entry[this.language] : entry;
  }
  word(name) { return this.text(this.run.data.words[name]); }
  textOf(name) { return this.text(this.run.columns["text " + name].values[this.frame]); }

  // All elements, in the present language.
  build() {
    const { data, columns, frames } = this.run, word = (name) => this.word(name);
    if (this.observer) this.observer.disconnect();
    document.documentElement.lang = data.languages[this.language][0];
    this.root.className = this.bare ? "repose bare" : "repose";
    this.root.replaceChildren();
    this.canvas = element("canvas", { tabindex: "0", role: "img", pointerdown: (e) => this.press(e), pointermove: (e) => this.drag(e), pointerup: (e) => this.release(e), pointercancel: (e) => this.release(e), wheel: (e) => this.wheel(e), contextmenu: (e) => e.preventDefault() });
    this.over = element("canvas", { "aria-hidden": "true" });
    this.over.style.pointerEvents = "none";
    this.clock = element("div", { class: "over clock" });
    this.legend = element("div", { class: "over legend" });
    this.answer = element("div", { class: "over answer", role: "status" });
    const button = (label, shown, action) => element("button", { type: "button", title: label, "aria-label": label, click: action }, shown);
    const buttons = element("div", { class: "buttons" }, button(word("larger"), "+", () => this.magnify(1.25)), button(word("smaller"), "−", () => this.magnify(0.8)), button(word("whole"), "⤢", () => this.whole()));
    this.picture = element("section", { class: "picture", "aria-label": word("picture") }, this.canvas, this.over, this.clock, this.legend, this.answer, buttons);
    this.button = element("button", { type: "button", class: "play", click: () => this.play(!this.playing) });
    this.slider = element("input", { type: "range", min: 0, max: frames - 1, step: 1, "aria-label": word("time"), input: () => { this.play(false); this.go(+this.slider.value); } });
    const marks = element("div", { class: "marks", "aria-hidden": "true" });
    this.phases().forEach((frame) => { const mark = element("i"); mark.style.left = `${(100 * frame) / Math.max(frames - 1, 1)}%`; marks.append(mark); });
    const choices = [["automatic", word("own")], ...data.colours.map(([name, title]) => [name, this.text(title)])];
    const select = (label, options, chosen, change) => element("select", { "aria-label": label, change: (e) => change(e.target.value) }, ...options.map(([value, title]) => { const option = element("option", { value }, title); option.selected = String(value) === String(chosen); return option; }));
    const colour = select(word("colour"), choices, this.colour, (name) => { this.colour = name; this.show(); });
    this.box = element("input", { type: "checkbox", change: () => { this.chains = this.box.checked; this.show(); } });
    this.box.checked = this.chains;
    const nav = element("nav", { "aria-label": word("time") }, this.button, element("div", { class: "way" }, this.slider, marks), element("label", {}, word("colour"), colour), element("label", {}, this.box, word("chains")));
    const language = select(word("language"), data.languages.map(([, name], k) => [k, name]), this.language, (k) => { this.language = +k; const playing = this.playing; this.build(); this.show(); this.play(playing); });
    const header = element("header", {}, element("h1", {}, this.text(data.title)), element("p", { class: "see" }, this.text(data.see)), language);
    header.querySelector(".see").title = this.text(data.see);
    this.root.append(header, this.picture, nav, this.aside(select));
    try {
      this.painter = new Painter(this.canvas, data.shaders);
    } catch (error) {
      this.painter = null;
      this.picture.append(element("p", { class: "trouble", role: "alert" }, word("no_webgl")));
      console.warn(String(error));
    }
    this.observer = new ResizeObserver(() => this.show());
    this.observer.observe(this.picture);
    this.button.textContent = this.playing ? word("pause") : word("play");
  }

  aside(select) {
    const { data } = this.run, word = (name) => this.word(name), heading = (name) => element("h2", {}, word(name));
    this.angle = element("p", { class: "angle" });
    this.readings = element("table");
    const parts = [heading("readings"), this.angle, this.readings];
    if (data.plots.length) {
      const options = data.plots.map((plot, k) => [k, this.text(plot.title)]);
      this.graph = element("canvas", { class: "plot", role: "img", click: (e) => this.seek(e) });
      this.keyOfPlot = element("div", { class: "key" });
      parts.push(heading("plot"), select(word("plot"), options, this.plot, (k) => { this.plot = +k; this.drawPlot(); }), this.graph, this.keyOfPlot);
    }
    const rows = data.parameters.map(([label, symbol, value, differs]) => element("tr", { class: differs ? "differs" : "", title: differs ? word("differs") : null }, element("td", {}, this.text(label), symbol ? element("i", {}, " ", ...scripted(symbol)) : ""), element("td", {}, ...scripted(this.text(value)))));
    parts.push(element("details", { open: innerWidth > 760 ? "" : null }, element("summary", {}, word("parameters")), element("table", {}, ...rows)));
    const left = this.text(data.left);
    const about = [left ? element("p", { class: "plain-words" }, left) : "", ...data.origin.map((number) => element("p", {}, this.text(number))), element("p", {}, word("keys")), element("pre", {}, data.licence)];
    if (left) parts.splice(0, 0, element("p", { class: "plain-words" }, left));
    parts.push(element("details", {}, element("summary", {}, word("about")), ...about.slice(1)));
    return element("aside", {}, ...parts);
  }

  // Frames at which a phase begins: the words of a phase change more often, up to the first mark or number.
  phases() {
    const numbers = this.run.columns["text phase"].values, found = [];
    const begin = (k) => { const entry = this.run.data.texts[numbers[k]]; return (Array.isArray(entry) ? entry[0] : entry).split(/[:(0-9]/)[0]; };
    for (let k = 1; k < this.run.frames; k++) if (begin(k) !== begin(k - 1)) found.push(k);
    return found;
  }

  // ---- time ----
  // Show the last frame of another recording of the same run.
  follow(run) {
    const before = this.run.data, now = run.data;
    this.run = run;
    this.frame = run.frames - 1;
    const differs = ["parameters", "colours", "plots"].some((name) => shapeOf(before, name) !== shapeOf(now, name));
    if (differs) this.build();
    this.show();
  }
  mark(on) {
    this.playing = on;
    this.button.textContent = on ? this.word("pause") : this.word("play");
  }
  go(frame) { this.frame = between(frame, 0, this.run.frames - 1); this.show(); }
  play(on) {
    if (this.live) {
      this.mark(on);
      this.live(on);
      return;
    }
    this.mark(on && this.run.frames > 1);
    if (!this.playing) { this.describe(); return; }
    if (this.frame >= this.run.frames - 1) this.frame = 0;
    const at = this.run.columns.at.values, began = performance.now(), first = at[this.frame];
    const mine = (this.turn = {});
    const tick = (now) => {
      if (!this.playing || this.turn !== mine || !this.root.isConnected) return;
      const due = first + ((now - began) / 1000) * this.run.data.fps;
      let frame = this.frame;
      while (frame < this.run.frames - 1 && at[frame + 1] <= due) frame++;
      if (frame !== this.frame) this.go(frame);
      if (frame >= this.run.frames - 1) this.play(false);
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || ["SELECT"].includes(event.target.tagName)) return;
    const slides = event.target === this.slider, steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };
    if (event.key === " " && event.target.tagName !== "BUTTON" && event.target !== this.box && event.target.tagName !== "SUMMARY") this.play(!this.playing);
    else if (event.key in steps && !slides) { this.play(false); this.go(this.frame + steps[event.key]); }
    else if (event.key === "Home" && !slides) { this.play(false); this.go(0); }
    else if (event.key === "End" && !slides) { this.play(false); this.go(this.run.frames - 1); }
    else if (event.key === "+" || event.key === "=") this.magnify(1.25);
    else if (event.key === "-") this.magnify(0.8);
    else if (event.key === "0") this.whole();
    else if (event.key === "l" || event.key === "L") { this.chains = this.box.checked = !this.chains; this.show(); }
    else return;
    event.preventDefault();
  }

  // ---- camera ----
  get size() { return [this.canvas.width, this.canvas.height]; }
  own() { return (this.camera = this.camera || cameraOf(this.run, this.frame, this.size)); }
  whole() { this.camera = null; this.show(); }
  magnify(factor, x = 0, y = 0) { zoom(this.run, this.own(), factor, x, y, this.size); this.show(); }
  wheel(event) {
    event.preventDefault();
    const [x, y] = this.fromMiddle(event);
    this.magnify(Math.exp(-0.0015 * between(event.deltaY * (event.deltaMode ? 30 : 1), -300, 300)), x, y);
  }
  fromMiddle(event) {
    const box = this.canvas.getBoundingClientRect(), scale = this.canvas.width / box.width;
    return [(event.clientX - box.left) * scale - this.canvas.width / 2, (event.clientY - box.top) * scale - this.canvas.height / 2];
  }
  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers = this.fingers || new Map();
    this.fingers.set(event.pointerId, this.fromMiddle(event));
  }
  release(event) { if (this.fingers) this.fingers.delete(event.pointerId); }
  drag(event) {
    if (!this.fingers || !this.fingers.has(event.pointerId)) return;
    const before = this.fingers.get(event.pointerId), now = this.fromMiddle(event), camera = this.own();
    const by = [now[0] - before[0], now[1] - before[1]], other = [...this.fingers].find(([id]) => id !== event.pointerId);
    this.fingers.set(event.pointerId, now);
    if (other) {
      const [x, y] = other[1], apart = (place) => Math.hypot(place[0] - x, place[1] - y);
      pan(this.run, camera, by[0] / 2, by[1] / 2, this.size);
      zoom(this.run, camera, between(apart(now) / Math.max(apart(before), 1), 0.2, 5), (now[0] + x) / 2, (now[1] + y) / 2, this.size);
    } else if (this.run.data.dimension === 3 && !event.shiftKey && !(event.buttons & 6)) orbit(camera, ...by, this.size);
    else pan(this.run, camera, ...by, this.size);
    this.show();
  }

  // ---- pictures ----
  // Draw the frame with the next picture of the browser.
  show() {
    if (this.waiting) return;
    this.waiting = true;
    const draw = () => { this.waiting = false; this.paint(); };
    if (this.bare) draw(); else requestAnimationFrame(draw);
  }
  paint() {
    const box = this.picture.getBoundingClientRect(), density = this.bare ? 1 : Math.min(window.devicePixelRatio || 1, 2);
    const size = [Math.max(Math.round(box.width * density), 1), Math.max(Math.round(box.height * density), 1)];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
      const before = this.size;
      [this.canvas.width, this.canvas.height] = size;
      if (this.camera && this.run.data.dimension === 2) this.camera.pixel *= before[1] / size[1];
    }
    const scale = Math.max(Math.min(Math.sqrt((size[0] * size[1]) / (1280 * 720)), size[0] / 900), 0.7);
    const camera = this.camera || cameraOf(this.run, this.frame, size), space = this.run.data.dimension === 3;
    if (this.painter) {
      const scene = new Scene(this.run, this.frame, this.colour, this.chains);
      this.painter.begin(size, this.run.data.palette.background, space);
      if (space) paintSpace(this.painter, scene, camera, size, scale);
      else paintPlane(this.painter, scene, camera, size, scale, this.bare);
      this.painter.end();
    }
    if (this.bare) return;
    this.drawOver(camera, size, density);
    this.write();
    this.drawPlot();
  }

  pixelOf(camera, size, place) {
    if (this.run.data.dimension === 3) {
      const axes = axesOf(camera), eye = eyeOf(camera, axes), way = place.map((x, k) => x - eye[k]), focal = focalOf(size), ahead = -dot(way, axes[2]);
      return [size[0] / 2 + camera.offset[0] + (focal * dot(way, axes[0])) / ahead, size[1] / 2 + camera.offset[1] - (focal * dot(way, axes[1])) / ahead];
    }
    const [c, s] = [Math.cos(camera.tilt), Math.sin(camera.tilt)], [x, y] = [place[0] - camera.centre[0], place[1] - camera.centre[1]];
    return [size[0] / 2 + (c * x + s * y) / camera.pixel, size[1] / 2 - (-s * x + c * y) / camera.pixel];
  }

  // Measured slope, labels and scale bar.
  drawOver(camera, size, density) {
    [this.over.width, this.over.height] = size;
    const pen = this.over.getContext("2d"), space = this.run.data.dimension === 3, unit = density;
    const font = (height, bold) => { pen.font = `${bold ? "600 " : ""}${height * unit}px system-ui, sans-serif`; };
    const write = (words, x, y, colour = "#f0f3f6") => {
      pen.lineWidth = 3.5 * unit; pen.lineJoin = "round"; pen.strokeStyle = "#101419"; pen.strokeText(words, x, y);
      pen.fillStyle = colour; pen.fillText(words, x, y);
    };
    const stroke = (points, width) => {
      for (const [colour, wide] of [["rgba(16, 20, 25, 0.65)", width + 3], ["#ffffff", width]]) {
        pen.strokeStyle = colour; pen.lineWidth = wide * unit;
        pen.beginPath(); points.forEach((place, k) => (k ? pen.lineTo(...place) : pen.moveTo(...place))); pen.stroke();
      }
    };
    const slope = this.run.row("slope", this.frame), at = (place) => this.pixelOf(camera, size, place);
    if (!space && Number.isFinite(slope[0])) {
      const [rise, height, left, right] = slope, down = rise <= 0, foot = down ? right : left, top = down ? left : right, out = down ? 1 : -1;
      const line = (x) => at([x, height + rise * x]), f = line(foot), t = line(top - out * this.run.data.drawing.slope[0] * (right - left));
      const length = Math.hypot(t[0] - f[0], t[1] - f[1]), reach = Math.min(0.42 * length, 190 * unit), tilt = Math.atan(Math.abs(rise)), [c, s] = [Math.cos(camera.tilt), Math.sin(camera.tilt)];
      const turned = (angle, r) => { const [x, y] = [-out * Math.cos(angle) * r, Math.sin(angle) * r]; return [f[0] + c * x + s * y, f[1] - (-s * x + c * y)]; };
      stroke([f, turned(0, 1.15 * reach)], 1.4);
      stroke(Array.from({ length: 25 }, (_, k) => turned((tilt * k) / 24, reach)), 2.2);
      stroke([t, f], 2.2);
      font(28, true);
      pen.textAlign = "center"; pen.textBaseline = "bottom";
      const words = this.textOf("angle"), half = pen.measureText(words).width / 2, x = between(t[0] + 0.62 * (f[0] - t[0]), half + 8 * unit, size[0] - half - 8 * unit);
      const scene = new Scene(this.run, this.frame, this.colour, false);
      let y = t[1] + 0.62 * (f[1] - t[1]);
      for (const k of scene.shown()) {
        if (scene.fixed[k]) continue;
        const p = at(scene.place(k)), radius = scene.radius(k) / camera.pixel;
        if (Math.abs(p[0] - x) < half + radius) y = Math.min(y, p[1] - radius);
      }
      write(words, x, Math.max(y - 6 * unit, 40 * unit));
    }
    font(14, true);
    pen.textAlign = "center"; pen.textBaseline = "bottom";
    const q = this.run.data.quantum, there = this.run.row("there", this.frame);
    for (const [k, text, colour] of this.run.data.labels) {
      if (k < 0 || !there[k]) continue;
      const place = ["x", "y", "z"].slice(0, this.run.data.dimension).map((name) => this.run.row(name, this.frame)[k] * q);
      place[place.length - 1] += (this.run.row("radius", this.frame)[k] * q) / 4;
      const [x, y] = at(place);
      write(this.text(text), x, y - 6 * unit, colour);
    }
    const pixel = space ? camera.distance / focalOf(size) : camera.pixel, most = Math.min(0.22 * size[0], 220 * unit) * pixel;
    const length = niceBelow(most), [x, y, wide] = [12 * unit, size[1] - 16 * unit, length / pixel];
    stroke([[x, y - 5 * unit], [x, y], [x + wide, y], [x + wide, y - 5 * unit]], 2);
    font(13);
    pen.textAlign = "left";
    write(this.length(length), x, y - 7 * unit);
  }

  length(metres) {
    const [factor, unit] = metres >= 1 ? [1, "m"] : metres >= 1e-3 ? [1e3, "mm"] : metres >= 1e-6 ? [1e6, "µm"] : [1e9, "nm"];
    return `${this.number(metres * factor)} ${unit}`;
  }
  number(value) { return String(+value.toPrecision(6)).replace("-", "−").replace(".", this.run.data.decimal[this.language]); }

  // Texts of the frame.
  write() {
    const { data } = this.run, speed = this.textOf("speed");
    this.slider.value = this.frame;
    this.slider.setAttribute("aria-valuetext", `${this.textOf("clock")}, ${this.textOf("phase")}`);
    this.clock.replaceChildren(element("b", {}, this.textOf("clock")), speed ? `  ${speed}` : "", element("div", {}, this.textOf("phase")));
    this.answer.textContent = this.frame === this.run.frames - 1 ? this.textOf("answer") : "";
    const angle = this.textOf("angle");
    this.angle.replaceChildren(angle, angle ? element("small", {}, this.textOf("error")) : "");
    const numbers = this.run.row("readings", this.frame), rows = [];
    for (let k = 0; k < numbers.length; k += 2) if (numbers[k] >= 0) rows.push(element("tr", {}, element("td", {}, this.text(numbers[k])), element("td", {}, ...scripted(this.text(numbers[k + 1])))));
    this.readings.replaceChildren(...rows);
    const span = this.run.span(this.frame, this.colour), shown = `${span} ${this.language}`;
    if (this.legend.dataset.shown !== shown) {
      this.legend.dataset.shown = shown;
      this.legend.replaceChildren();
      if (span >= 0) this.drawLegend(data.legends[span]);
    }
    if (!this.playing) this.describe();
  }
  // The picture in words, for screen readers.
  describe() {
    const words = [this.word("picture"), this.text(this.run.data.title), this.textOf("clock"), this.textOf("phase"), this.textOf("angle"), this.textOf("answer")];
    this.canvas.setAttribute("aria-label", words.filter(Boolean).join(". "));
  }
  drawLegend({ heading, ticks, bands }) {
    const bar = element("canvas", { width: bands || 256, height: 1, "aria-hidden": "true" }), pen = bar.getContext("2d"), map = this.run.columns.map.values, [first, last] = this.run.data.palette.trim;
    for (let k = 0; k < bar.width; k++) {
      const row = 3 * Math.round((first + ((last - first) * k) / Math.max(bar.width - 1, 1)) * 255);
      const byte = (c) => Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
      pen.fillStyle = `rgb(${byte(map[row])}, ${byte(map[row + 1])}, ${byte(map[row + 2])})`;
      pen.fillRect(k, 0, 1, 1);
    }
    bar.style.imageRendering = bands ? "pixelated" : "auto";
    const places = element("div", { class: "ticks" });
    const stride = bands > 8 ? 2 : 1;
    for (const [share, words] of ticks.filter((_, k) => k % stride === 0)) { const tick = element("span", {}, this.text(words)); tick.style.left = `${100 * share}%`; places.append(tick); }
    this.legend.append(element("div", {}, ...scripted(this.text(heading))), bar, places);
  }

  // ---- plot ----
  frameOfPlot() {
    const plot = this.run.data.plots[this.plot], box = this.graph.getBoundingClientRect();
    const logs = (axis, value) => (axis.log ? Math.log10(value) : value);
    const room = { left: 52, right: box.width - 10, top: 8, bottom: box.height - 36 };
    const across = (value) => room.left + ((logs(plot.x, value) - logs(plot.x, plot.x.low)) / (logs(plot.x, plot.x.high) - logs(plot.x, plot.x.low) || 1)) * (room.right - room.left);
    const up = (value) => room.bottom - ((logs(plot.y, value) - logs(plot.y, plot.y.low)) / (logs(plot.y, plot.y.high) - logs(plot.y, plot.y.low) || 1)) * (room.bottom - room.top);
    return { plot, box, room, across, up };
  }
  drawPlot() {
    if (!this.graph || !this.graph.getBoundingClientRect().width) return;
    const { plot, box, room, across, up } = this.frameOfPlot(), density = Math.min(window.devicePixelRatio || 1, 2);
    this.graph.width = Math.round(box.width * density);
    this.graph.height = Math.round(box.height * density);
    this.graph.setAttribute("aria-label", `${this.word("plot")}: ${this.text(plot.y.label)}, ${this.text(plot.x.label)}`);
    const pen = this.graph.getContext("2d");
    pen.scale(density, density);
    pen.fillStyle = "#1d222a";
    pen.fillRect(room.left, room.top, room.right - room.left, room.bottom - room.top);
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = "#9ba5b1";
    pen.strokeStyle = "rgba(155, 165, 177, 0.25)";
    pen.textAlign = "center";
    const numbers = plot.x.ticks ? plot.x.ticks.map(([place, text]) => [place, this.text(text)]) : ticksOf(plot.x, 5).map((v) => [v, this.number(v)]);
    const zero = Math.max(numbers.findIndex(([value]) => value === 0), 0), wide = Math.max(0, ...numbers.map(([, words]) => pen.measureText(words).width)) + 6;
    const stride = plot.x.ticks || numbers.length < 2 ? 1 : Math.ceil(wide / (across(numbers[1][0]) - across(numbers[0][0]))); // they never touch
    for (const [k, [value, words]] of numbers.entries()) {
      if ((k - zero) % stride === 0) pen.fillText(words, across(value), room.bottom + 14);
      pen.beginPath(); pen.moveTo(across(value), room.top); pen.lineTo(across(value), room.bottom); pen.stroke();
    }
    pen.fillText(this.text(plot.x.label), (room.left + room.right) / 2, box.height - 5, room.right - room.left);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of ticksOf(plot.y, 4)) {
      pen.fillText(tickText(this, plot.y, value), room.left - 5, up(value), 46);
      pen.beginPath(); pen.moveTo(room.left, up(value)); pen.lineTo(room.right, up(value)); pen.stroke();
    }
    pen.save();
    pen.beginPath(); pen.rect(room.left, room.top - 3, room.right - room.left + 3, room.bottom - room.top + 6); pen.clip();
    for (const line of plot.lines) {
      pen.strokeStyle = pen.fillStyle = line.colour;
      pen.lineWidth = line.width || 1.2;
      pen.beginPath();
      let down = false;
      line.x.forEach((x, k) => {
        const y = line.y[k];
        if (x === null || y === null || (plot.y.log && y <= 0)) { down = false; return; }
        if (line.mark) {
          pen.moveTo(across(x) + 3, up(y)); pen.arc(across(x), up(y), 3, 0, 2 * Math.PI);
          if (line.error && line.error[k] !== null) { pen.moveTo(across(x), up(y - line.error[k])); pen.lineTo(across(x), up(y + line.error[k])); }
        } else if (down) pen.lineTo(across(x), up(y)); else { pen.moveTo(across(x), up(y)); down = true; }
      });
      pen.stroke();
    }
    if (plot.time) {
      const now = across((this.run.columns.time.values[this.frame] - plot.time[0]) / plot.time[1]);
      pen.strokeStyle = "#e8eaed"; pen.lineWidth = 1.5;
      pen.beginPath(); pen.moveTo(now, room.top); pen.lineTo(now, room.bottom); pen.stroke();
    }
    pen.restore();
    const named = plot.lines.filter((line) => line.label);
    this.keyOfPlot.replaceChildren(...(plot.title === plot.y.label ? [] : [element("span", { class: "of" }, ...scripted(this.text(plot.y.label)))]), ...named.map((line) => { const entry = element("span", {}, this.text(line.label)); entry.style.setProperty("--ink", line.colour); return entry; }));
  }
  // Go to the time under the mouse.
  seek(event) {
    const { plot, room } = this.frameOfPlot();
    if (!plot.time) return;
    const share = (event.offsetX - room.left) / (room.right - room.left), wanted = (plot.x.low + share * (plot.x.high - plot.x.low)) * plot.time[1] + plot.time[0];
    const times = this.run.columns.time.values;
    let best = 0;
    times.forEach((time, k) => { if (Math.abs(time - wanted) < Math.abs(times[best] - wanted)) best = k; });
    this.play(false);
    this.go(best);
  }
}

// What the elements of a page are made for: the values of parameters, the names of quantities and plots.
function shapeOf(data, name) {
  if (name !== "parameters") return JSON.stringify(data[name].map((entry) => entry.name || entry[0]));
  return JSON.stringify(data.parameters.map(([, , value]) => data.texts[value]));
}

// The largest of 1, 2, 5 times a power of ten that is at most this.
function niceBelow(most) {
  const power = 10 ** Math.floor(Math.log10(most)), share = most / power;
  return (share >= 5 ? 5 : share >= 2 ? 2 : 1) * power;
}

function ticksOf(axis, count) {
  if (axis.log) {
    const found = [];
    for (let power = Math.ceil(Math.log10(axis.low)); power <= Math.log10(axis.high); power++) found.push(10 ** power);
    const stride = Math.ceil(found.length / count);
    return found.filter((_, k) => k % stride === 0);
  }
  const step = niceBelow((axis.high - axis.low) / 1.5 / (count / 2) || 1), found = [];
  for (let k = Math.ceil(axis.low / step - 1e-9); k * step <= axis.high + 1e-9 * step; k++) found.push(k * step);
  return found;
}

function tickText(page, axis, value) {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return page.number(value);
  const power = Math.floor(Math.log10(size) + 1e-9), share = +(value / 10 ** power).toPrecision(4);
  const raised = String(power).replace(/[-0-9]/g, (letter) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(letter)]);
  return share === 1 ? `10${raised}` : `${page.number(share)}·10${raised}`;
}
