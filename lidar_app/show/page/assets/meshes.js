// The meshes of the scene on the graphics card.

const MESH_LOOKS = {
  dark: { neutral: [0.215, 0.235, 0.265], colourful: 0.24, low: 0.3, high: 1.0 },
  light: { neutral: [0.8, 0.82, 0.845], colourful: 0.25, low: 0.72, high: 1.06 },
};
const MESH_REACH = 9; // times the distance of the camera, and at least:
const LEAST_REACH = 320; // [m]
const BEHIND = 0.01; // share of the distance by which faces lie behind points
const GROUND_BEHIND = 0.015; // and the ground, which is never in front of a road

class Meshes {
  constructor(renderer) {
    this.renderer = renderer;
    this.program = renderer.program(MESH_VERTEX, MESH_FRAGMENT);
  }

  /** Return a part on the card: places of 16 bits, colours, and triangles. */
  upload({ places, colours, triangles }) {
    const { gl } = this.renderer;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const put = (kind, data) => {
      gl.bindBuffer(kind, gl.createBuffer());
      gl.bufferData(kind, data, gl.STATIC_DRAW);
    };
    put(gl.ARRAY_BUFFER, places);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, false, 8, 0);
    put(gl.ARRAY_BUFFER, colours);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.UNSIGNED_BYTE, true, 4, 0);
    put(gl.ELEMENT_ARRAY_BUFFER, triangles);
    return { array, count: triangles.length };
  }

  /** Draw parts, each with the matrix of the scene from it, into the picture of the points. */
  draw(placed, look, theme) {
    const { gl, canvas } = this.renderer;
    const { program } = this;
    const { view } = look;
    gl.useProgram(program);
    gl.uniformMatrix4fv(program.projection, false, look.projection);
    gl.uniform3f(program.up, view[8], view[9], view[10]);
    const { neutral, ...numbers } = MESH_LOOKS[theme];
    const reach = Math.min(Math.max(MESH_REACH * lengthOf(subtract(look.eye, look.target)), LEAST_REACH), look.far);
    for (const [name, value] of Object.entries({ ...numbers, reach, height: canvas.height })) {
      gl.uniform1f(program[name], value);
    }
    gl.uniform3fv(program.neutral, neutral);
    for (const name of ["above", "below"]) gl.uniform3fv(program[name], THEMES[theme][name]);
    for (const { part, sceneFromPart, isGround } of placed) {
      gl.uniform1f(program.behind, 2 * (isGround ? GROUND_BEHIND : BEHIND) * look.near);
      gl.bindVertexArray(part.array);
      gl.uniformMatrix4fv(program.viewFromPart, false, product(view, sceneFromPart));
      gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_INT, 0);
    }
  }
}
