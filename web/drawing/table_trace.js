// Finds out whether the geometries of a world changed since the last look.

/** @typedef {import('../index.js').World} World */

/** What `sync` compares to see whether the tables changed; one entry a proxy row. */
export class TableTrace {
  #rows = 0;
  #geometry = new Uint32Array(0); // handle, 0 for a free row
  #shape = new Uint32Array(0); // handle
  #material = new Int32Array(0); // row
  #mesh = new Uint32Array(0); // number of the shape's render data

  /**
   * Takes over the present state.
   *
   * @param {World} world
   * @returns {boolean} whether anything was different
   */
  update(world) {
    const { proxies, geometries, shapes } = world.columns;
    const rows = proxies.rows;
    let changed = rows !== this.#rows;
    if (rows > this.#geometry.length) {
      this.#geometry = new Uint32Array(2 * rows);
      this.#shape = new Uint32Array(2 * rows);
      this.#material = new Int32Array(2 * rows);
      this.#mesh = new Uint32Array(2 * rows);
      changed = true;
    }
    this.#rows = rows;

    const proxyGeometry = proxies.geometry;
    const proxyShape = proxies.shape;
    const proxyMaterial = proxies.material;
    const geometryHandle = geometries.handle;
    const shapeHandle = shapes.handle;
    const lastGeometry = this.#geometry;
    const lastShape = this.#shape;
    const lastMaterial = this.#material;
    const renderData = shapes.renderData;
    const lastMesh = this.#mesh;
    for (let row = 0; row < rows; ++row) {
      const live = proxyGeometry[row] >= 0;
      const geometry = live ? geometryHandle[proxyGeometry[row]] : 0;
      const shape = live ? shapeHandle[proxyShape[row]] : 0;
      const material = live ? proxyMaterial[row] : -1;
      const mesh = live ? renderData[proxyShape[row]] : 0;
      if (
        geometry === lastGeometry[row] &&
        shape === lastShape[row] &&
        material === lastMaterial[row] &&
        mesh === lastMesh[row]
      )
        continue;
      lastMesh[row] = mesh;
      lastGeometry[row] = geometry;
      lastShape[row] = shape;
      lastMaterial[row] = material;
      changed = true;
    }
    return changed;
  }
}
