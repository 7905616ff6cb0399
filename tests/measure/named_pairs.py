"""Pairs of names for abilities, written by hand before any likeness was computed: one ability, or two.

As models coin them: inflected, reordered, longer, or in other words; and, on the other side, names that share a verb or
an object and still ask for something else.
"""

SAME = """
count_objects counting_objects
count_objects count_items
count_things tally_objects
count_shapes count_the_shapes
count_visible_items count_visible_objects
estimate_distance estimating_distances
estimate_size judge_size
avoid_hazard avoid_hazards
avoid_hazard evade_danger
avoid_hazard hazard_avoidance
avoid_obstacle avoid_obstacles
avoid_obstacle bypass_obstacle
navigate_to_goal navigating_to_goal
navigate_to_goal move_toward_goal
navigate_to_goal reach_target
plan_path path_planning
plan_path plan_route
plan_path find_shortest_path
recall_position remember_position
recall_position recall_location
recall_sequence remember_sequence
recall_sequence recalling_the_sequence
match_pairs match_pair
match_pairs pair_matching
match_cards find_matching_cards
compare_values compare_numbers
compare_heights comparing_height
compare_sizes size_comparison
identify_colour recognize_colour
identify_shape recognise_shape
identify_pattern detect_pattern
identify_pattern pattern_recognition
infer_rule deduce_rule
infer_rule rule_inference
read_chart interpret_chart
read_clock tell_time
read_table look_up_table
rotate_object mental_rotation
rotate_shape rotate_figure
sort_items order_items
sort_numbers number_sorting
add_numbers sum_numbers
add_numbers compute_sum
track_object follow_object
track_moving_object tracking_moving_objects
explore_map explore_area
explore_unknown_area explore_unseen_area
satisfy_constraint satisfy_constraints
satisfy_constraint meet_constraint
fill_form complete_form
select_option choose_option
locate_target find_target
locate_object object_localization
spot_difference find_difference
predict_motion anticipate_movement
backtrack_path retrace_steps
"""

DIFFERENT = """
count_objects compare_objects
count_objects move_object
count_objects count_steps
count_cards match_cards
avoid_hazard identify_hazard
avoid_hazard avoid_repetition
avoid_obstacle remove_obstacle
avoid_wall avoid_opponent
navigate_to_goal choose_goal
navigate_to_goal set_goal
plan_path draw_path
plan_path recall_path
plan_moves count_moves
recall_position compare_positions
recall_sequence sort_sequence
recall_colour identify_colour
match_pairs count_pairs
match_colour name_colour
compare_values add_values
compare_heights estimate_height
identify_shape rotate_shape
identify_pattern complete_pattern
infer_rule apply_rule
infer_rule break_rule
read_chart draw_chart
read_clock set_clock
read_map explore_map
read_table sort_table
rotate_object track_object
rotate_object place_object
sort_numbers add_numbers
sort_items select_items
add_numbers multiply_numbers
add_numbers read_numbers
track_object locate_object
explore_map follow_map
satisfy_constraint identify_constraint
fill_form read_form
fill_gap find_gap
select_option compare_options
locate_target hit_target
locate_target avoid_target
spot_difference compute_difference
predict_motion control_motion
retrace_path block_path
place_piece capture_piece
place_piece rotate_piece
open_door close_door
take_key use_key
attack_opponent predict_opponent
protect_piece capture_piece
find_largest find_smallest
maximise_reward minimise_cost
wait_for_moment move_quickly
follow_edge cut_edge
follow_instruction write_instruction
"""


def pairs(text: str) -> list[tuple[str, str]]:
    return [(one, other) for one, other in (line.split() for line in text.strip().splitlines())]
