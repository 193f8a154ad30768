# What a step runs, built with -O3 in WebAssembly, or with -O2 where the longer code of -O3 gains nothing; all else is
# built with -Oz, since its bytes are downloaded and it runs seldom. Folders, without the files named below them, and
# single files. Sets CN_WARM_SOURCES (-O2) and CN_COLD_SOURCES (-Oz).
set(CN_HOT_FOLDERS
  base/containers collide dynamics geometry linear math solve world/ccd world/step)
set(CN_HOT_FILES
  base/thread_pool material/pair_properties world/anchors world/filters world/poses world/proxies)
# Of these. -O2 for all would make S3 and S5 of the yardstick 3 to 4 % slower and save another 10 kB.
set(CN_WARM_FOLDERS
  base dynamics geometry linear math solve/direct world)
# As fast, and 4 kB less: 150 hollow cylinders and balls, bouncing, dominoes and S9 of the yardstick.
set(CN_WARM_FILES
  collide/narrow/collide_hollow collide/narrow/collide_mesh collide/narrow/collide_smooth
  solve/impacts/contact_impact solve/impacts/impacts solve/impacts/impact_times solve/sweeps/converged_newton
  solve/sweeps/converged_contacts
  # As fast, and 1 kB less: S1, S3, S6, S7, stacks and dominoes.
  solve/joint_choice solve/prepare_contacts solve/solver_bodies solve/solver_choice solve/velocity_times
  # As fast but for a twentieth of S3's broad phase, and 1 kB less: S1 to S5, S7, S9, stacks and dominoes.
  collide/broad/broad_phase solve/area_friction solve/friction_shares solve/sweeps/contacts
  collide/pairs/concave_pairs collide/pairs/internal_contacts)
set(CN_COLD_FILES
  # checks that only builds with assertions make, and images of state
  collide/broad/broad_phase_image collide/pairs/pair_table_validate dynamics/constraint_table_validate
  solve/solve_validate
  # what users ask for between steps
  collide/queries/queries collide/queries/surface collide/pairs/contact_reduction dynamics/joint_energy
  world/step/energy_balance
  world/step/listeners world/step/reduction
  # bodies that would pass through others in a step, one by one, and the time that they lose; linkages that are struck
  world/step/ccd_bodies world/ccd/lost_time world/ccd/shape_sweeps solve/impacts/direct_impacts
  # what is made anew when joints or contacts between the bodies of a mechanism change, and what looks for the first
  # sets of a complementarity problem, whose time goes into factors
  linear/block_graph linear/interior_point linear/sparse_symbolic
  # what takes joints over from the direct solver, and who solves which island with what
  solve/sweeps/taken_joints solve/islands
  # overlap of the few islands that are converged and push it out; whether they rest
  solve/sweeps/position_correction solve/sweeps/converged_rest
  # what is found anew when contacts or joints of the step are others than those of the last one, and how the contacts
  # of small islands are cut into blocks
  solve/constraint_graph solve/contact_order solve/sweeps/sweep_batches solve/sweeps/sweep_parts
  solve/direct/direct_islands solve/direct/island_contents solve/direct/work_budget solve/direct/guards/island_guard
  solve/direct/system/factor_pool
  # what is made when somebody reads it
  world/step/events
  # meshes against one another, of which few pages have many
  collide/narrow/mesh_mesh
  # what makes shapes
  geometry/hull_build geometry/solid_integrals geometry/meshes/trimesh_build geometry/meshes/trimesh_check
  geometry/shapes/shape_checks
  # tables that grow between steps; of pairs, where few come and go; of contacts, which are listed when somebody reads
  base/containers/field base/containers/id_pool base/containers/paged_array base/containers/registry
  base/containers/table collide/pairs/contact_table collide/pairs/geometry_table collide/pairs/pair_table
  dynamics/constraint_table dynamics/merged_body_table
  # what takes less than a fiftieth of the step in every scene of the yardstick and of the demo, by counted executions;
  # not what finds contacts and sweeps them, which takes little by the file and much together
  geometry/hull geometry/meshes/height_field_queries geometry/shapes/box
  geometry/shapes/capsule geometry/shapes/line geometry/shapes/shape geometry/shapes/sphere
  math/exp_log math/inverse_trig math/sin_cos solve/contact_area
  solve/direct/friction/exact_cone solve/direct/friction/friction solve/direct/friction/friction_sweeps
  solve/direct/friction/swept_joints solve/direct/joint_groups solve/direct/motion/body_motion
  solve/direct/motion/geometric_stiffness solve/direct/motion/rotation_rates solve/direct/nodes/contact_nodes
  solve/direct/nodes/force_times
  solve/direct/stepping solve/direct/substep solve/rows/joint_rows solve/rows/stiff_joints world/anchors)

set(CN_HOT_SOURCES)
foreach(folder ${CN_HOT_FOLDERS})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.c)
  if(NOT sources)
    message(FATAL_ERROR "cmake/hot_sources.cmake names src/${folder}, which has no sources")
  endif()
  list(APPEND CN_HOT_SOURCES ${sources})
endforeach()
foreach(file ${CN_HOT_FILES} ${CN_COLD_FILES})
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${file}.c)
    message(FATAL_ERROR "cmake/hot_sources.cmake names src/${file}.c, which does not exist")
  endif()
endforeach()
list(TRANSFORM CN_HOT_FILES PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE hot)
list(TRANSFORM hot APPEND .c)
list(TRANSFORM CN_COLD_FILES PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE cold)
list(TRANSFORM cold APPEND .c)
list(APPEND CN_HOT_SOURCES ${hot})
list(REMOVE_ITEM CN_HOT_SOURCES ${cold})
set(CN_WARM_SOURCES ${CN_HOT_SOURCES})
list(JOIN CN_WARM_FOLDERS "|" folders)
list(JOIN CN_WARM_FILES "|" files)
list(FILTER CN_WARM_SOURCES INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/src/((${folders})/|(${files})[.]c$)")
set(CN_COLD_SOURCES ${CN_SOURCES})
list(REMOVE_ITEM CN_COLD_SOURCES ${CN_HOT_SOURCES})
