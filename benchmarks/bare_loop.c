/* SPDX-FileCopyrightText: 2026 osi-lidar contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reference of the benchmarks: rays traced by a bare loop over rtcIntersect, and nothing else.
 * Packets of WIDTH neighbours (4, 8 or 16: what the processor traces natively), coherent; blocks of
 * 1024 rays are assigned to the threads in turn.
 * It declares the few parts of Embree 4 that it needs, so it builds without Embree's headers.
 */
#include <stdint.h>

struct packet { /* RTCRayHit, of this width */
  float org[3][WIDTH], tnear[WIDTH], dir[3][WIDTH], time[WIDTH], tfar[WIDTH];
  uint32_t mask[WIDTH], id[WIDTH], flags[WIDTH];
  float normal[3][WIDTH], u[WIDTH], v[WIDTH];
  uint32_t prim[WIDTH], geom[WIDTH], inst[WIDTH], inst_prim[WIDTH];
} __attribute__((aligned(64)));

struct arguments { /* RTCIntersectArguments */
  uint32_t flags, features;
  void *context, *filter, *intersect;
  float min_width;
};

typedef void (*intersect_packet)(const int *, void *, struct packet *, struct arguments *);

enum { BLOCK = 1024, COHERENT = 1 << 16 };

/* Trace n_rays from one origin; directions are in the scene's frame. Returns the number of hits. */
long bare_trace(intersect_packet intersect, void *scene, const float *origin, const float *direction,
                float max_range, long n_rays, int n_threads, float *range) {
  long hits = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : hits) num_threads(n_threads)
  for (long block = 0; block < n_rays; block += BLOCK) {
    struct packet packet;
    struct arguments arguments = {COHERENT, 0xFFFFFFFFu, 0, 0, 0, 0.0f};
    int valid[WIDTH] __attribute__((aligned(64)));
    for (long first = block; first < block + BLOCK && first < n_rays; first += WIDTH) {
      for (int lane = 0; lane < WIDTH; lane++) {
        long ray = first + lane < n_rays ? first + lane : first;
        valid[lane] = first + lane < n_rays ? -1 : 0;
        for (int axis = 0; axis < 3; axis++) {
          packet.org[axis][lane] = origin[axis];
          packet.dir[axis][lane] = direction[3 * ray + axis];
        }
        packet.tnear[lane] = packet.time[lane] = 0.0f;
        packet.tfar[lane] = max_range;
        packet.mask[lane] = 1;
        packet.flags[lane] = 0;
        packet.geom[lane] = packet.inst[lane] = 0xFFFFFFFFu;
      }
      intersect(valid, scene, &packet, &arguments);
      for (int lane = 0; lane < WIDTH && first + lane < n_rays; lane++) {
        range[first + lane] = packet.tfar[lane];
        hits += packet.inst[lane] != 0xFFFFFFFFu;
      }
    }
  }
  return hits;
}
