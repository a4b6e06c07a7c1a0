// SPDX-FileCopyrightText: 2026 osi-lidar contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a PCD file with PCL and writes to stdout what it got: a line "width height point_step",
// a line "name datatype offset count" for each field, an empty line, and the raw rows.

#include <cstdio>

#include <pcl/PCLPointCloud2.h>
#include <pcl/io/pcd_io.h>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: pcl_read FILE.pcd\n");
    return 2;
  }
  pcl::PCLPointCloud2 cloud;
  if (pcl::PCDReader().read(argv[1], cloud) != 0) {
    std::fprintf(stderr, "%s: PCL cannot read it\n", argv[1]);
    return 1;
  }
  std::printf("%u %u %u\n", cloud.width, cloud.height, cloud.point_step);
  for (const auto &field : cloud.fields)
    std::printf("%s %u %u %u\n", field.name.c_str(), field.datatype, field.offset, field.count);
  std::printf("\n");
  return std::fwrite(cloud.data.data(), 1, cloud.data.size(), stdout) == cloud.data.size() ? 0 : 1;
}
