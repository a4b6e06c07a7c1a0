// Drawing with WebGL 2.

const THEMES = {
  dark: { above: [0.047, 0.057, 0.074], below: [0.082, 0.096, 0.118], ink: [0.62, 0.68, 0.76] },
  light: { above: [0.975, 0.979, 0.984], below: [0.905, 0.915, 0.928], ink: [0.28, 0.32, 0.38] },
};
const WIDE = [[0, 0], [1, 0], [0, 1]];
const GROUND_STEPS = 100; // the grid starts at multiples of so many cells

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("this browser has no WebGL 2, which draws the points");
    this.gl = gl;
    this.points = this.program(POINT_VERTEX, POINT_FRAGMENT);
    this.whole = this.program(WHOLE_VERTEX, SHADE_FRAGMENT);
    this.lines = this.program(LINE_VERTEX, LINE_FRAGMENT);
    this.ground = this.program(GRID_VERTEX, GRID_FRAGMENT);
    this.meshes = new Meshes(this);
    this.palette = this.texture(256, PALETTE_ROWS, gl.RGBA8);
    this.target = null;
    this.lineBuffer = gl.createBuffer();
    this.lineArray = gl.createVertexArray();
    this.nothing = gl.createVertexArray();
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthFunc(gl.LEQUAL);
  }

  program(vertex, fragment) {
    const { gl } = this;
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(made, i);
      made[name] = gl.getUniformLocation(made, name);
    }
    return made;
  }

  texture(width, height, format) {
    const { gl } = this;
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    }
    return made;
  }

  /** Make the picture that the points are drawn into as large as the canvas. */
  resize(width, height) {
    const { gl } = this;
    if (this.target?.width === width && this.target.height === height) return;
    if (this.target) {
      gl.deleteTexture(this.target.picture);
      gl.deleteTexture(this.target.depths);
      gl.deleteFramebuffer(this.target.frame);
    }
    const picture = this.texture(width, height, gl.RGBA8);
    const depths = this.texture(width, height, gl.DEPTH_COMPONENT24);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    const attach = (where, what) =>
      gl.framebufferTexture2D(gl.FRAMEBUFFER, where, gl.TEXTURE_2D, what, 0);
    attach(gl.COLOR_ATTACHMENT0, picture);
    attach(gl.DEPTH_ATTACHMENT, depths);
    this.target = { width, height, picture, depths, frame };
  }

  setPalette(colours) {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.texSubImage2D(
      gl.TEXTURE_2D, 0, 0, 0, 256, PALETTE_ROWS, gl.RGBA, gl.UNSIGNED_BYTE, colours,
    );
  }

  /** Return points on the card: places, moments of the sweep (or none), room for shades. */
  upload(places, moments) {
    const { gl } = this;
    const made = { array: gl.createVertexArray(), buffers: [], count: places.length / 3 };
    gl.bindVertexArray(made.array);
    const put = (index, data) => {
      const buffer = gl.createBuffer();
      made.buffers.push(buffer);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(index);
    };
    put(0, places);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    put(2, new Uint16Array(made.count));
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_SHORT, 0, 0);
    if (moments) {
      put(1, moments);
      gl.vertexAttribPointer(1, 1, gl.UNSIGNED_SHORT, true, 0, 0);
    }
    return made;
  }

  setShades(uploaded, values) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, uploaded.buffers[1]);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, values);
  }

  release(uploaded) {
    uploaded.buffers.forEach((buffer) => this.gl.deleteBuffer(buffer));
    this.gl.deleteVertexArray(uploaded.array);
  }

  /** Draw meshes and points, then grid and lines (of seven numbers a corner: place and colour). */
  draw(layers, look, { size, reference, shading, theme, ground, lines, meshes }) {
    const { gl, canvas } = this;
    this.resize(canvas.width, canvas.height);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.frame);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (meshes.length) this.meshes.draw(meshes, look, theme);
    this.drawPoints(layers, look, size, reference);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.drawShaded(look, shading ? 9 : 0, theme, Math.max(1, Math.round(size / 2)));
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    if (ground) this.drawGround(look, ground, theme);
    for (const each of lines) if (each.numbers.length) this.drawLines(look, each);
    gl.depthMask(true);
  }

  drawPoints(layers, look, size, reference) {
    const { gl, points } = this;
    gl.useProgram(points);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.palette);
    gl.uniform1i(points.palette, 0);
    gl.uniform1f(points.size, size);
    gl.uniform1f(points.reference, reference);
    gl.uniformMatrix4fv(points.projection, false, look.projection);
    for (const { uploaded, sceneFromBegin, sceneFromEnd } of layers) {
      gl.uniformMatrix4fv(points.viewFromBegin, false, product(look.view, sceneFromBegin));
      gl.uniformMatrix4fv(points.viewFromEnd, false, product(look.view, sceneFromEnd));
      gl.bindVertexArray(uploaded.array);
      gl.vertexAttrib1f(1, 1);
      gl.drawArrays(gl.POINTS, 0, uploaded.count);
    }
  }

  drawShaded({ near, far }, strength, theme, radius) {
    const { gl, whole, target } = this;
    gl.useProgram(whole);
    [target.picture, target.depths].forEach((texture, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    });
    gl.uniform1i(whole.picture, 0);
    gl.uniform1i(whole.depths, 1);
    const numbers = { near, far, strength, radius };
    for (const [name, value] of Object.entries(numbers)) gl.uniform1f(whole[name], value);
    gl.uniform3fv(whole.above, THEMES[theme].above);
    gl.uniform3fv(whole.below, THEMES[theme].below);
    gl.bindVertexArray(this.nothing);
    gl.depthFunc(gl.ALWAYS);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthFunc(gl.LEQUAL);
  }

  /** Draw a grid around the target, at multiples of its cells in the world. */
  drawGround(look, { height, cell, corner }, theme) {
    const { gl, ground } = this;
    const reach = 40 * cell;
    gl.useProgram(ground);
    const matrix = product(look.all, shift([...corner, height]));
    gl.uniformMatrix4fv(ground.matrix, false, matrix);
    gl.uniform1f(ground.reach, reach + GROUND_STEPS * cell);
    gl.uniform1f(ground.cell, cell);
    gl.uniform2f(ground.focus, look.target[0] - corner[0], look.target[1] - corner[1]);
    gl.uniform3fv(ground.ink, THEMES[theme].ink);
    gl.bindVertexArray(this.nothing);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  drawLines(look, { origin, numbers }) {
    const { gl, lines } = this;
    gl.useProgram(lines);
    gl.uniformMatrix4fv(lines.matrix, false, product(look.all, shift(origin)));
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
    [[0, 3, 0], [1, 4, 12]].forEach(([index, count, at]) => {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, count, gl.FLOAT, false, 28, at);
    });
    const { width, height } = this.canvas;
    for (const [dx, dy] of WIDE) { // lines of WebGL are one pixel wide
      gl.viewport(dx, dy, width, height);
      gl.drawArrays(gl.LINES, 0, numbers.length / 7);
    }
  }
}
