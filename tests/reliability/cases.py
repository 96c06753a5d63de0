"""Where each reliability case of the groups X, I, T, P, G, R and F is tested, if not under its own name in this folder.

A case whose number begins the name of a test here (`test_x03_...`) needs no entry. `NOT_YET` are those that concern
what the program does not have; `MISSED` those it does not meet, each with a strict xfail of that number.
"""

from __future__ import annotations

VERIFICATION, SIM, APP, RELIABILITY = "tests/verification", "tests/sim", "tests/app", "tests/reliability"

ANY_SIZE = "test_a_window_of_any_size_and_often_without_one_films_whole_pictures_at_the_size_of_the_film"
ANOTHER_TRY = "test_a_driver_without_memory_and_the_loss_of_all_objects_are_reported_and_another_try_draws_again"
SIZES = "test_g10_g20_scenes_and_sizes_that_change_often_leave_as_many_objects_of_opengl"
RELEASED = "test_all_opengl_objects_are_released"
GOLDEN = "test_a_view_looks_as_its_golden_picture"

ELSEWHERE: dict[str, tuple[str, ...]] = {
    "X08": (f"{SIM}/test_parameters.py::test_the_smallest_step_beyond_a_limit_is_refused",),
    "X10": (f"{SIM}/engine/neighbours/test_verlet_list.py::test_list_equals_brute_force_for_random_clouds",),
    "X16": (f"{VERIFICATION}/test_block_on_slope.py::test_a_tenth_of_a_degree_decides_over_a_million_steps",),
    "X17": (
        f"{VERIFICATION}/test_walls.py::test_a_sphere_rolls_over_shared_edges_without_a_kick",
        f"{VERIFICATION}/test_walls.py::test_a_shallow_fold_seen_from_inside_gives_no_energy",
    ),
    "X18": (f"{SIM}/engine/neighbours/test_verlet_list.py::test_a_sphere_too_fast_for_its_step_is_named",),
    "I03": (f"{VERIFICATION}/test_rotation.py::test_linear_and_angular_momentum_are_conserved",),
    "I04": (
        f"{VERIFICATION}/test_energy_ledger.py::test_ledger_of_a_whole_heap_closes_in_proportion_to_the_step",
        f"{VERIFICATION}/test_rotation.py::test_the_energy_ledger_closes_with_rotation",
    ),
    "I05": (
        f"{VERIFICATION}/test_restitution.py::test_restitution_of_the_linear_law",
        f"{VERIFICATION}/test_published_impacts.py::test_rebound_is_the_restitution_asked_for_at_any_speed",
    ),
    "I06": (f"{SIM}/engine/test_step.py::test_a_boost_changes_nothing_but_the_velocity",),
    "I12": (
        f"{SIM}/experiment/test_simulation.py::test_same_seed_gives_the_same_bits_and_another_seed_others",
        f"{SIM}/experiment/test_simulation.py::test_a_fresh_process_and_another_scene_before_give_the_same_bits",
        f"{SIM}/test_scenes.py::test_a_scene_gives_the_same_bits_for_the_same_seed_filmed_or_not",
    ),
    "I14": (f"{SIM}/io/test_world_tables.py::test_a_restart_at_any_step_gives_the_same_run",),
    "I15": (f"{SIM}/test_integrators.py::test_leap_frog_and_velocity_verlet_run_backwards",),
    "I16": (
        f"{SIM}/test_integrators.py::test_observed_order",
        f"{SIM}/test_integrators.py::test_the_whole_step_loop_keeps_the_order",
    ),
    "I20": (f"{SIM}/engine/neighbours/test_verlet_list.py::test_list_equals_brute_force_for_random_clouds",),
    "I21": (f"{SIM}/engine/neighbours/test_verlet_list.py::test_no_contact_is_missed_between_rebuilds",),
    "I22": (
        f"{SIM}/engine/neighbours/test_verlet_list.py::test_friction_springs_are_kept_when_the_neighbour_list_is_rebuilt",
        f"{SIM}/test_law_contract.py::test_swapping_the_grains_gives_the_opposite_force",
        f"{VERIFICATION}/test_ratcheting.py::test_thousands_of_closed_cycles_leave_no_shear_behind",
    ),
    "I23": (f"{SIM}/engine/test_step.py::test_scaling_all_lengths_by_a_power_of_four_scales_the_forces_exactly",),
    "T08": (
        f"{SIM}/experiment/test_runner.py::test_an_error_of_the_thread_is_shown_as_a_fault",
        f"{APP}/window/test_application.py::test_a_physics_thread_that_failed_is_reported_and_replaced",
    ),
    "T13": (
        f"{SIM}/test_architecture.py::test_the_compiled_loop_is_found_on_disk_by_the_next_process",
        f"{SIM}/test_architecture.py::test_a_truncated_cache_file_is_compiled_again",
    ),
    "T16": (
        f"{SIM}/experiment/test_runner.py::test_a_paused_runner_does_exactly_the_requested_steps",
        f"{SIM}/experiment/test_runner.py::test_many_step_requests_from_two_threads_are_all_done",
        f"{SIM}/experiment/test_runner.py::test_many_pauses_leave_the_thread_working",
    ),
    **dict.fromkeys(
        ("P02", "P03", "P04"),
        (f"{RELIABILITY}/test_p_parameters.py::test_p01_to_p04_every_field_refuses_what_is_not_a_number_in_its_range",),
    ),
    "P06": (f"{SIM}/test_parameters.py::test_a_value_out_of_range_is_refused_with_the_range",),
    "P07": (f"{SIM}/test_parameters.py::test_zero_is_accepted_where_it_is_physical",),
    "P12": (f"{SIM}/experiment/test_simulation.py::test_gravity_reversed_and_a_hundred_m_s2_lose_no_grain",),
    "P18": (f"{SIM}/test_parameters.py::test_a_value_out_of_range_is_refused_with_the_range",),
    "P19": (f"{SIM}/test_parameters.py::test_a_value_out_of_range_is_refused_with_the_range",),
    "G01": (f"{APP}/window/test_window.py::test_without_a_display_the_refusal_says_what_works_without_one",),
    "G02": (f"{APP}/jobs/test_doctor.py::test_missing_opengl_is_explained_in_words_for_each_system",),
    "G03": (f"{APP}/window/test_window.py::test_an_old_opengl_is_refused_with_both_versions",),
    "G04": (f"{APP}/jobs/test_doctor.py::test_opengl_is_named_with_its_version_and_renderer",),
    "G05": (
        f"{APP}/window/test_window.py::test_a_display_that_does_not_answer_is_refused_in_one_sentence",
        f"{APP}/test_cli_run.py::test_without_opengl_the_run_completes_and_says_why_there_is_no_picture",
    ),
    "G06": (
        f"{APP}/render/test_renderer.py::test_a_broken_shader_is_named_and_leaves_nothing_behind",
        f"{APP}/window/test_application.py::test_a_shader_refused_by_the_driver_is_reported_and_the_experiment_continues",
    ),
    **dict.fromkeys(("G08", "G09", "R15"), (f"{APP}/window/test_application.py::{ANY_SIZE}",)),
    "G11": (f"{RELIABILITY}/test_t_threads.py::test_t06_ten_seconds_without_a_snapshot_change_nothing",),
    "G12": (
        f"{APP}/window/test_window.py::test_mouse_positions_are_pixels_where_the_system_counts_points",
        f"{APP}/ui/test_layout.py::test_text_is_larger_on_larger_windows_and_denser_screens",
    ),
    "G13": ("tests/gui/test_window.py::test_a_window_as_large_as_the_screen_is_inside_it_with_its_frame",),
    "G14": (
        f"{APP}/storage/test_settings.py::test_an_unreadable_file_is_reported_and_not_changed",
        f"{APP}/storage/test_settings.py::test_a_folder_that_cannot_be_written_is_reported_and_the_old_file_remains",
        f"{APP}/render/test_imgui_backend.py::test_nothing_is_written_into_the_current_folder",
    ),
    **dict.fromkeys(("G15", "G17"), (f"{APP}/window/test_application.py::{ANOTHER_TRY}",)),
    "G16": (f"{APP}/storage/test_film.py::test_a_drawing_error_ends_the_film_not_the_program",),
    "G19": (f"{APP}/ui/panels/test_monkey.py::test_random_events_raise_no_error_and_send_only_valid_values",),
    "G20": (f"{RELIABILITY}/test_g_window.py::{SIZES}", f"{APP}/render/test_renderer.py::{RELEASED}"),
    "G21": (f"{SIM}/experiment/test_runner.py::test_neither_drawing_nor_the_thread_changes_a_bit",),
    "R01": (
        f"{APP}/storage/test_recorder.py::test_after_kills_every_film_can_be_played_and_drafts_are_deleted",
        f"{APP}/storage/test_recorder.py::test_film_of_a_killed_process_is_playable_up_to_its_last_second",
    ),
    "R05": (f"{APP}/storage/test_film.py::test_while_the_encoder_is_behind_frames_wait",),
    "R06": (
        f"{APP}/storage/test_film.py::test_an_encoder_that_fails_ends_the_film_with_its_sentence",
        f"{APP}/storage/test_recorder.py::test_without_pyav_films_are_refused_in_a_sentence_and_pictures_work",
    ),
    "R07": (
        f"{APP}/storage/test_recorder.py::test_on_a_full_disk_the_refusal_names_what_there_would_be",
        f"{APP}/storage/test_recorder.py::test_a_nearly_full_disk_ends_the_film_while_it_can_be_completed",
        f"{APP}/storage/test_recorder.py::test_a_disk_that_refuses_to_write_ends_the_film_but_not_the_program",
        f"{APP}/test_cli_run.py::test_a_film_that_ends_early_ends_neither_the_run_nor_its_results",
    ),
    "R08": (
        f"{APP}/storage/test_recorder.py::test_unusable_targets_are_refused_in_a_sentence",
        f"{APP}/storage/test_film.py::test_while_the_encoder_is_behind_frames_wait",
    ),
    "R09": (
        f"{APP}/storage/test_recorder.py::test_odd_sizes_are_padded_to_even",
        f"{APP}/storage/test_recorder.py::test_absurd_sizes_and_rates_are_refused",
    ),
    "R10": (f"{APP}/storage/test_film.py::test_every_frame_sent_is_drawn_at_the_size_of_the_film_and_kept",),
    "R11": (f"{APP}/storage/test_recorder.py::test_many_short_films_leave_no_thread_or_draft_behind",),
    "R12": (
        f"{APP}/storage/test_film.py::test_frames_are_requested_at_simulated_times",
        f"{APP}/test_cli_run.py::test_film_has_exactly_duration_times_fps_frames_and_leaves_the_run_as_it_is",
    ),
    "R13": (
        f"{APP}/storage/test_recorder.py::test_existing_film_is_never_overwritten",
        f"{APP}/storage/test_recorder.py::test_names_with_odd_characters_work_and_a_missing_folder_is_made",
    ),
    "R14": (
        f"{APP}/storage/test_recorder.py::test_r14_a_film_continues_in_another_file_at_the_largest_file_of_the_disk",
        f"{APP}/storage/test_recorder.py::test_r14_the_memory_of_a_long_film_is_flat",
    ),
    "R16": (f"{APP}/render/test_golden_views.py::{GOLDEN}",),
    "F01": (
        f"{APP}/cli/test_subcommands.py::test_help_and_version_import_nothing_heavy_and_need_no_home",
        f"{RELIABILITY}/test_t_threads.py::test_t13_without_a_writable_cache_the_engine_is_compiled_at_every_start",
    ),
    "F03": (f"{RELIABILITY}/test_n_files.py::test_n13_after_a_kill_while_saving_the_old_or_the_new_file_exists",),
    "F04": (f"{APP}/storage/test_settings.py::test_two_windows_do_not_overwrite_each_others_choices",),
    "F05": (
        f"{SIM}/io/test_atomic_file.py::test_what_a_killed_process_left_is_swept_when_the_next_claims_there",
        f"{APP}/storage/test_run_saver.py::test_f04_and_n15_only_the_run_of_an_ended_window_is_offered",
    ),
    "F06": (
        f"{APP}/storage/test_settings.py::test_a_folder_that_cannot_be_written_is_reported_and_the_old_file_remains",
        f"{APP}/storage/test_run_saver.py::test_n14_a_full_disk_is_reported_and_the_run_continues",
        f"{RELIABILITY}/test_n_files.py::test_n14_a_disk_that_is_full_leaves_the_old_file",
        f"{RELIABILITY}/test_n_export.py::test_n14_a_full_disk_during_an_export_leaves_no_part_of_it",
    ),
    "F11": (
        f"{RELIABILITY}/test_n_autosave.py::"
        "test_n12_an_automatic_save_is_of_one_step_and_written_while_physics_continues",
    ),
    "F13": (f"{APP}/storage/test_settings.py::test_keys_and_comments_of_another_version_are_kept",),
    "F14": (
        f"{SIM}/io/test_atomic_file.py::test_only_drafts_of_ended_processes_are_removed",
        f"{APP}/storage/test_run_saver.py::test_f14_the_number_of_files_left_by_crashes_is_limited",
    ),
    "F15": (f"{RELIABILITY}/test_f_files.py::test_f08_a_refused_replacement_is_tried_again_and_then_told",),
}

NOT_YET: dict[str, str] = {
    "G07": "a window asks for nothing that a lower setting would do without: no multisampling, no depth, no alpha",
    "R02": "no other process encodes: the encoder is a library",
    "R04": "no other process encodes: there is no standard error to fill",
    "F12": "there is no log file",
}

MISSED: tuple[str, ...] = ()

WANTED = (
    *(f"X{number:02}" for number in (2, 3, 4, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19)),
    *(f"I{number:02}" for number in (*range(1, 19), *range(20, 25))),
    *(f"T{number:02}" for number in (*range(1, 9), 11, 13, 15, 16, 17)),
    *(f"P{number:02}" for number in (*range(1, 20), 21, 22)),
    *(f"G{number:02}" for number in (*range(1, 7), *range(8, 18), 19, 20, 21, 22)),
    *(f"R{number:02}" for number in (1, *range(5, 17))),
    *(f"F{number:02}" for number in (1, *range(3, 12), *range(13, 17))),
)
"""The cases of these groups that concern what there is."""
